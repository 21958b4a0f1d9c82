internal import CloudKitModel
internal import PostgresClient
internal import RecordStorage

extension QueryRunner {
    /// A record that a query finds.
    enum Found {
        /// A record that SQL alone found.
        case row(RecordRow)
        /// A record that was evaluated in memory. Its row is not kept, because the row would keep all rows that were
        /// read with it in memory, even if no other row matched.
        case record(StoredRecord, zone: ZoneRow)

        /// The record's key.
        var key: RecordKey {
            switch self {
            case .row(let row): row.key
            case .record(let record, let zone): RecordKey(zone: zone, name: record.name)
            }
        }

        /// The approximate size of the record's fields in an answer, in bytes.
        var fieldBytes: Int {
            switch self {
            case .row(let row): row.fieldBytes
            case .record(let record, _): record.size
            }
        }

        /// Decodes the record.
        ///
        /// - Throws: the same errors as ``RecordRow/record()``.
        func record() throws -> StoredRecord {
            switch self {
            case .row(let row): try row.record()
            case .record(let record, _): record
            }
        }
    }

    /// A page of a query.
    struct Page<Kept> {
        /// The kept values of the records that were found, in order.
        var found: [Kept] = []
        /// The place where the next page begins; nil if this is the last page.
        var next: QueryPosition?
        /// The number of records that were examined.
        var examined = 0
        /// Whether the page ended early because the request had reached its time limit.
        var isCutShort = false
        /// The types of the records. If SQL alone evaluates the query, the types might lack a field that another
        /// instance has added to the schema (``QueryRunner/schema(_:of:)``).
        var schema = SchemaSnapshot()
    }

    /// The reason for planning a query again.
    enum Stale: Error {
        /// A zone was deleted, and might have been created again.
        case zone
        /// The schema was changed.
        case schema
    }
}

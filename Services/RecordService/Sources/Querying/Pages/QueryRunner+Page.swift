internal import CloudKitModel
internal import PostgresClient
internal import RecordStorage

extension QueryRunner {
    /// A record that a query finds.
    enum Found {
        /// Found by SQL alone.
        case row(RecordRow)
        /// Evaluated in memory. (Its row would retain all rows that were read with it, of which it may be the only one
        /// found.)
        case record(StoredRecord, zone: ZoneRow)

        /// The record's key.
        var key: RecordKey {
            switch self {
            case .row(let row): row.key
            case .record(let record, let zone): RecordKey(zone: zone, name: record.name)
            }
        }

        /// The approximate bytes of its fields in an answer.
        var fieldBytes: Int {
            switch self {
            case .row(let row): row.fieldBytes
            case .record(let record, _): record.size
            }
        }

        /// Decodes the record.
        ///
        /// - Throws: as ``RecordRow/record()``.
        func record() throws -> StoredRecord {
            switch self {
            case .row(let row): try row.record()
            case .record(let record, _): record
            }
        }
    }

    /// A page of a query.
    struct Page<Kept> {
        /// What is kept of the records.
        var found: [Kept] = []
        /// The place where the next page begins; nil if this is the last page.
        var next: QueryPosition?
        /// The number of records that were examined.
        var examined = 0
        /// Whether it ended because its time was over.
        var isCutShort = false
        /// The types of the records. If SQL alone decides, they may lack a field by which another instance has extended
        /// the schema (``QueryRunner/schema(_:of:)``).
        var schema = SchemaSnapshot()
    }

    /// The reason why a query must be planned again.
    enum Stale: Error {
        /// A zone was deleted, and may have been created again.
        case zone
        /// The schema was changed.
        case schema
    }
}

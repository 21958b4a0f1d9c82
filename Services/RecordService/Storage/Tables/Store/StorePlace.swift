package import PostgresClient

/// The place of a store: the cluster, the timeline and the table. While the place stays the same, the store contains
/// every acknowledged commit.
package struct StorePlace: Sendable, Equatable {
    /// The identifier of the cluster (`pg_control_system()`).
    package var systemIdentifier: Int64
    /// The number of the timeline to which the server writes.
    package var timeline: Int64
    /// The oid of `record.store`.
    package var relation: Int64

    /// Returns a description, for the log, of what has changed since `former`.
    package func change(since former: StorePlace) -> String {
        if systemIdentifier != former.systemIdentifier { return "another cluster" }
        if timeline != former.timeline { return "timeline \(timeline) after \(former.timeline)" }
        return "the tables were created again"
    }
}

/// The result of one check of the store.
package struct StoreSighting: Sendable {
    /// The incarnation in the row, as PostgreSQL writes it.
    package var incarnation: String
    /// The first eight bytes of the incarnation.
    package var token: UInt64
    /// The place that is stored in the row; nil if none has been written yet.
    package var noted: StorePlace?
    /// The server's own place; nil while the server is in recovery.
    package var present: StorePlace?
    /// The server's position in the write-ahead log, in bytes; 0 while the server is in recovery.
    package var position: Int64

    /// Decodes a row of ``StoreTable/sighting``.
    package init?(_ row: PostgresRow) {
        incarnation = row.string(0)
        let digits = incarnation.filter { $0 != "-" }.prefix(16)
        guard let token = UInt64(digits, radix: 16) else { return nil }
        self.token = token
        if !row.isNull(1), !row.isNull(2), !row.isNull(3) {
            noted = StorePlace(systemIdentifier: row.int64(1), timeline: row.int64(2), relation: row.int64(3))
        }
        position = row.int64IfPresent(7) ?? 0
        if !row.isNull(5) {
            present = StorePlace(systemIdentifier: row.int64(4), timeline: row.int64(5), relation: row.int64(6))
        }
    }
}

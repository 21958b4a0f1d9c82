package import CloudKitModel
package import PostgresClient

extension RecordTable {
    /// A record's last change, without the record's fields.
    package struct Summary: Sendable {
        private let row: PostgresRow

        fileprivate init(_ row: PostgresRow) { self.row = row }

        /// The name of the record.
        package var name: RecordName { row.recordName(0) }
        /// The name of the record's type.
        package var type: String { row.string(1) }
        /// The number of the record's last change.
        package var seq: Int64 { row.int64(2) }
        /// Whether the last change deleted the record.
        package var isDeleted: Bool { row.bool(3) }
        /// Whether the record has not changed since it was created.
        package var isUnchanged: Bool { row.bool(4) }
        /// The user who made the last change.
        package var user: String { row.string(5) }
        /// The time of the last change, in milliseconds since 1970.
        package var at: Int64 { row.milliseconds(6) }
        /// Whether changes to records of this type are logged with their values.
        package var isWatched: Bool { row.bool(7) }
    }

    /// Reads the records of `zone` whose last change is in `range`, in order of these changes; ``summaries(_:)``
    /// decodes them.
    package func summaries(in zone: ZoneRow, changedIn range: ClosedRange<Int64>, limit: Int) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                select r.name, t.name, r.change_seq, r.fields is null, r.created_at = r.modified_at, r.modified_by,
                    r.modified_at, t.watched_at is not null
                from (select * from \(table) r
                    where r.environment = $1 and r.zone = $2 and r.change_seq between $3 and $4 and r.change_seq > 0
                    order by r.change_seq limit $5) r
                join record.record_type t on t.id = r.record_type order by r.change_seq
                """),
            [
                .int4(environment.rawValue), .int8(zone.rawValue), .int8(range.lowerBound), .int8(range.upperBound),
                .int8(Int64(limit)),
            ])
    }

    /// The records that ``summaries(in:changedIn:limit:)`` found.
    package static func summaries(_ result: PostgresResult) -> [Summary] { result.map(Summary.init) }
}

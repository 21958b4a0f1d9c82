internal import CloudKitModel
package import CloudKitSchema
package import PostgresClient

extension IndexTable {
    /// The state of an index, for operators.
    package struct Status: Sendable {
        private let row: PostgresRow

        fileprivate init(_ row: PostgresRow) { self.row = row }

        /// The name of the record type.
        package var recordType: String { row.string(0) }
        /// The name of the field.
        package var field: String { row.string(1) }
        /// The declared kinds for which the index is used.
        package var kinds: FieldIndexes { FieldIndexes(rawValue: row.int16(2)) }
        /// The name of the index.
        package var name: String { row.string(3) }
        /// The state: `waiting`, `building`, `ready` or `failed`.
        package var state: String { row.string(4) }
        /// The progress of a build, from 0 to 1.
        package var progress: Double { row.double(5) }
        /// The size of the index, in bytes.
        package var bytes: Int64 { row.int64(6) }
        /// The number of scans of the index.
        package var scans: Int64 { row.int64(7) }
        /// The error from the last attempt to build the index; nil if there was none.
        package var lastError: String? { row.stringIfPresent(8) }
        /// The raw value of the index's ``FieldIndex/Method``.
        package var method: String { row.string(9) }
    }

    /// Reads the state of the indexes; ``status(_:)-(PostgresResult)`` decodes it.
    package static func status(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            """
            select t.name, i.field, i.kinds, n.name, i.state,
                case when i.state = 'ready' then 1 when i.state = 'building' then coalesce(
                        greatest(p.blocks_done::float8 / nullif(p.blocks_total, 0),
                            p.tuples_done::float8 / nullif(p.tuples_total, 0)), 0)
                    else 0 end,
                coalesce(pg_relation_size(to_regclass('record.' || n.name)), 0), coalesce(s.idx_scan, 0), i.last_error,
                i.method
            from record.field_index i join record.record_type t on t.id = i.record_type
            cross join lateral (select 'record_' || i.environment || '_index_' || i.id) as n(name)
            left join pg_stat_progress_create_index p on p.index_relid = to_regclass('record.' || n.name)
            left join pg_stat_user_indexes s on s.indexrelid = to_regclass('record.' || n.name)
            where i.environment = $1 and i.state <> 'dropped' order by t.name, i.field, i.method
            """, [.int4(environment.rawValue)])
    }

    /// Returns the states that ``status(_:)-(EnvironmentRow)`` found.
    package static func status(_ result: PostgresResult) -> [Status] { result.map(Status.init) }
}

internal import CloudKitModel
package import PostgresClient

extension IndexTable {
    /// An index that must be built or dropped.
    package struct Pending: Sendable {
        /// The id of the index, `record.field_index.id`.
        package let id: Int32
        /// Whether the index must be dropped.
        package let isDropped: Bool
        /// The index; nil if this release does not know its method or its field's type.
        package let index: FieldIndex?
    }

    /// Reads the next index to build or drop; ``next(_:)-(PostgresResult)`` decodes it. Indexes to be dropped come
    /// first.
    package static func next(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            """
            select id, state, record_type, field, type, method from record.field_index
            where environment = $1 and state <> 'ready' and due_at <= now()
            order by state <> 'dropped', due_at, id limit 1
            """, [.int4(environment.rawValue)])
    }

    /// Returns the index that ``next(_:)-(EnvironmentRow)`` found; nil if nothing is due.
    package static func next(_ result: PostgresResult) -> Pending? {
        result.first.map { row in
            let key = FieldIndex.Method(rawValue: row.string(5)).map {
                FieldIndex.Key(recordType: RecordTypeID(row.int32(2)), field: row.string(3), method: $0)
            }
            let type = FieldType(storageCode: row.int16(4))
            return Pending(
                id: row.int32(0), isDropped: row.string(1) == "dropped",
                index: key.flatMap { key in type.map { FieldIndex(key: key, type: $0, kinds: []) } })
        }
    }

    /// Marks the beginning of a build.
    package static func beginBuild(_ id: Int32) -> PostgresCall {
        PostgresCall(
            """
            update record.field_index set state = 'building', attempts = attempts + 1
            where id = $1 and state <> 'dropped'
            """, [.int4(id)])
    }

    /// Marks an index as ready for queries, unless it has been marked to be dropped in the meantime.
    package static func endBuild(_ id: Int32) -> PostgresCall {
        PostgresCall(
            """
            update record.field_index set state = 'ready', ready_at = now(), last_error = null
            where id = $1 and state = 'building'
            """, [.int4(id)])
    }

    /// Postpones an index by ten minutes because this release cannot build it. An instance that runs another release
    /// might be able to build it.
    package static func leave(_ id: Int32) -> PostgresCall {
        PostgresCall(
            "update record.field_index set due_at = now() + interval '10 minutes' where id = $1", [.int4(id)])
    }

    /// Postpones an index after a failure. The delay doubles with each attempt, up to one hour.
    package static func putOff(_ id: Int32, _ error: String) -> PostgresCall {
        PostgresCall(
            """
            update record.field_index set last_error = $2,
                state = case when state = 'dropped' then state else 'failed' end,
                due_at = now() + least(interval '1 hour', interval '10 seconds' * power(2, least(attempts, 20)))
            where id = $1
            """, [.int4(id), .text(error)])
    }

    /// Deletes the row of an index that was dropped.
    package static func forget(_ id: Int32) -> PostgresCall {
        PostgresCall("delete from record.field_index where id = $1", [.int4(id)])
    }

    /// Ends a job if nothing is left to do; otherwise, postpones it until the next index is due. The statements form a
    /// complete transaction. A transaction that adds an index updates the job's row after adding the index. One of the
    /// two transactions therefore waits for the other, and no index is missed.
    package static func finish(_ job: JobTable.Job) -> [PostgresCall] {
        let parameters: [PostgresParameter] = [.int8(job.id), .int4(job.environment.rawValue)]
        return [
            .begin, PostgresCall("select from record.job where id = $1 for update", [.int8(job.id)]),
            PostgresCall(
                """
                delete from record.job where id = $1 and not exists (select from record.field_index
                    where environment = $2 and state <> 'ready' and due_at < 'infinity')
                """, parameters),
            PostgresCall(
                """
                update record.job set due_at = coalesce((select min(due_at) from record.field_index
                    where environment = $2 and state <> 'ready'), now())
                where id = $1
                """, parameters),
            .commit,
        ]
    }

    /// Checks for indexes that were built since the table was last analyzed. The result is null if there are none, true
    /// if all of them are word indexes, and false otherwise.
    package static func builtSinceAnalysis(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            """
            select bool_and(i.method = 'words') from record.field_index i
            left join pg_stat_user_tables s on s.relid = to_regclass($2)
            where i.environment = $1 and i.state = 'ready'
                and i.ready_at > greatest(s.last_analyze, s.last_autoanalyze, '-infinity')
            """, [.int4(environment.rawValue), .text(environment.recordTable)])
    }

    /// Returns the scripts that create an index and, if the planner needs them, statistics on its values. They must run
    /// outside a transaction because of `concurrently`.
    ///
    /// - Returns: nil if the field cannot have such an index.
    package func createScripts(_ index: FieldIndex, _ id: Int32) -> [String]? {
        index.definition.map { definition in
            ["create index concurrently \(name(id)) on \(environment.recordTable) \(definition)"]
                + (index.measured.map { measured in
                    ["create statistics record.\(name(id))_values on (\(measured)) from \(environment.recordTable)"]
                } ?? [])
        }
    }

    /// Returns the scripts that drop an index, or the remains of an interrupted build.
    package func dropScripts(_ id: Int32) -> [String] {
        [
            "drop index concurrently if exists record.\(name(id))",
            "drop statistics if exists record.\(name(id))_values",
        ]
    }

    /// Returns the script that analyzes the table. Words are stored in a column, which can be analyzed separately;
    /// expressions are analyzed only with the whole table.
    package func analyzeScript(onlyWords: Bool) -> String {
        "analyze \(environment.recordTable)\(onlyWords ? " (tokens)" : "")"
    }

    /// Reads the field and method of every index of an environment; ``named(_:)`` decodes them.
    package static func all(_ environment: EnvironmentRow) -> PostgresCall {
        PostgresCall(
            "select id, field, method from record.field_index where environment = $1", [.int4(environment.rawValue)])
    }

    /// Returns the indexes that ``all(_:)`` found, keyed by name (``name(_:)``).
    package func named(_ result: PostgresResult) -> [String: (field: String, method: String)] {
        result.reduce(into: [:]) { $0[name($1.int32(0))] = ($1.string(1), $1.string(2)) }
    }
}

package import PostgresClient

/// The removal of the rows that a deleted zone leaves behind.
package enum ZoneRemoval {
    private static let maxRows: Int32 = 2000

    /// The result of a step.
    package enum Step: Sendable {
        /// More rows might be left.
        case more
        /// Only the zone's own row is left.
        case done
        /// The environment was removed together with the rows.
        case environmentGone
    }

    /// Deletes a bounded number of a deleted zone's rows, in the transaction of `connection`: first records, asset uses
    /// and references, and then the rows of its shares. Nothing writes to a deleted zone, so the physical location
    /// (`ctid`) of its rows does not change during a statement.
    ///
    /// - Throws: `PostgresError`.
    package static func removeRows(
        of zone: ZoneRow, in environment: EnvironmentRow, on connection: PostgresConnection
    ) async throws -> Step {
        let tables = [environment.recordTable, environment.assetUseTable, environment.referenceTable]
        for table in tables where try await !exists(table, on: connection) { return .environmentGone }
        _ = try await connection.query(RecordTable.noBitmaps)
        let deleted = try await connection.pipeline(
            tables.map { table in
                PostgresCall(
                    PostgresStatement(
                        """
                        delete from \(table) where ctid = any(array(
                            select ctid from \(table) where environment = $1 and zone = $2 limit $3))
                        """),
                    [.int4(environment.rawValue), .int8(zone.rawValue), .int4(maxRows)])
            })
        guard deleted.allSatisfy({ $0.affectedRows < Int(maxRows) }) else { return .more }
        // The participants are deleted before their shares, so that deleting a share never deletes many rows.
        // Participants who had access are kept for the retention period, because their feeds report the deletion;
        // ``DepartureRemoval`` deletes them.
        let unreported = [
            ("departure", "true"), ("link", "true"), ("requester", "true"),
            ("participant", "(role = 1 or since_seq is null)"),
            ("share", "not exists (select from record.participant p where p.zone = t.zone and p.share = t.id)"),
        ]
        for (table, condition) in unreported {
            let deleted = try await connection.query(
                PostgresStatement(
                    """
                    delete from record.\(table) where ctid = any(array(
                        select ctid from record.\(table) t where zone = $1 and \(condition) limit $2))
                    """), [.int8(zone.rawValue), .int4(maxRows)])
            guard deleted.affectedRows < Int(maxRows) else { return .more }
        }
        _ = try await connection.query("delete from record.cascade where zone = $1", [.int8(zone.rawValue)])
        _ = try await connection.query("delete from record.share_move where zone = $1", [.int8(zone.rawValue)])
        return .done
    }

    private static func exists(_ table: String, on connection: PostgresConnection) async throws -> Bool {
        try await connection.query("select to_regclass($1) is not null", [.text(table)]).first?.bool(0) == true
    }

    /// Deletes a zone's row if the zone's deletion is older than the retention period, and expires the database's sync
    /// tokens that do not cover the deletion. If the period has not passed yet, `job` is postponed until it has.
    ///
    /// The row is kept until the zone's shares have been purged. If the zone was purged or its encrypted data was
    /// reset, the row is also kept until a zone with the same name is created; until then, requests for the zone report
    /// the reason for its deletion. The job checks these conditions once a day.
    ///
    /// - Returns: whether the row is gone.
    /// - Throws: `PostgresError`.
    package static func removeZone(
        _ zone: ZoneRow, of job: JobTable.Job, retention: Duration, on connection: PostgresConnection
    ) async throws -> Bool {
        let seconds = PostgresParameter.float8(retention / .seconds(1))
        let results = try await connection.pipeline([
            PostgresCall(
                """
                with gone as (
                    delete from record.zone z
                    where z.id = $1 and z.deleted_at <= now() - make_interval(secs => $2)
                        and not exists (select from record.share s where s.zone = z.id)
                        and (z.deletion_reason = 'deleted' or exists (
                            select from record.zone later
                            where later.database = z.database and later.name = z.name and later.id > z.id))
                    returning z.database, z.changed_xid)
                update record.database d set purge_mark = greatest(d.purge_mark, gone.changed_xid)
                from gone where d.id = gone.database
                """, [.int8(zone.rawValue), seconds]),
            PostgresCall(
                """
                update record.job j
                set attempts = 0, due_at = case when z.deleted_at + make_interval(secs => $3) > now()
                    then z.deleted_at + make_interval(secs => $3) else now() + interval '1 day' end
                from record.zone z where j.id = $1 and z.id = $2
                """, [.int8(job.id), .int8(zone.rawValue), seconds]),
        ])
        return results[1].affectedRows == 0
    }
}

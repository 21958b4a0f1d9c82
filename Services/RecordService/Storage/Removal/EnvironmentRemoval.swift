package import PostgresClient

/// The removal of a deleted environment's tables.
package enum EnvironmentRemoval {
    private static let maxRows: Int32 = 2000

    /// Drops the tables of a deleted environment. This must run outside a transaction because of `concurrently`, which
    /// waits for running statements but does not block new ones. The next call finishes a step that was interrupted.
    ///
    /// - Throws: `PostgresError`.
    package static func removeTables(of environment: EnvironmentRow, on connection: PostgresConnection) async throws {
        let table = environment.recordTable
        let state = try await connection.query(
            "select coalesce(i.inhdetachpending, false) from pg_inherits i where i.inhrelid = to_regclass($1)",
            [.text(table)])
        if let state = state.first {
            let how = state.bool(0) ? "finalize" : "concurrently"
            try await connection.execute(script: "alter table record.record detach partition \(table) \(how)")
        }
        // The asset-use table is dropped while it is still attached. A detached table would have its own foreign key,
        // and dropping that key would lock `asset.blob` against every save and upload. Dropping the attached table
        // locks the parent table instead, which nothing reads except the foreign-key check when a blob is deleted.
        try await connection.execute(
            script: """
                drop table if exists \(table); drop table if exists \(environment.assetUseTable);
                drop table if exists \(environment.referenceTable);
                delete from record.cascade where environment = \(environment.rawValue);
                delete from record.share_move where environment = \(environment.rawValue);
                delete from record.job
                where kind in ('cascade', 'sharing.index', 'share.empty', 'share.move')
                    and (arguments->>'environment')::int4 = \(environment.rawValue);
                """)
        try await removeShares(of: environment, on: connection)
    }

    /// Deletes the environment's rows from the tables that all environments share, a bounded number of rows per
    /// transaction. Participants are deleted before their shares, so that deleting a share cascades only to its owner's
    /// row.
    private static func removeShares(of environment: EnvironmentRow, on connection: PostgresConnection) async throws {
        let tables = [
            ("departure", "true"), ("link", "true"), ("requester", "true"), ("participant", "role <> 1"),
            ("share", "true"),
        ]
        for (table, condition) in tables {
            while try await connection.query(
                PostgresStatement(
                    """
                    delete from record.\(table) where ctid = any(array(
                        select ctid from record.\(table) where environment = $1 and \(condition) limit $2))
                    """), [.int4(environment.rawValue), .int4(maxRows)]
            ).affectedRows == Int(maxRows) {}
        }
    }
}

package import PostgresClient

/// The removal of a deleted environment's tables.
package enum EnvironmentRemoval {
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
        // locks the parent table instead, which is read only by the foreign-key check when a blob is deleted.
        try await connection.execute(
            script: """
                drop table if exists \(table); drop table if exists \(environment.assetUseTable);
                drop table if exists \(environment.referenceTable);
                delete from record.cascade where environment = \(environment.rawValue);
                delete from record.job
                where kind = 'cascade' and (arguments->>'environment')::int4 = \(environment.rawValue);
                """)
    }
}

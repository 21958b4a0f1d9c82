package import PostgresClient

/// The removal of the tables of a deleted environment.
package enum EnvironmentRemoval {
    /// Drops the tables of a deleted environment, without a transaction: `concurrently` waits for running statements and
    /// does not block new ones. A step that was interrupted is finished by the next.
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
        // The asset uses are dropped while attached. A detached table would have a foreign key of its own, and dropping
        // that would lock `asset.blob` against every save and upload; this locks the parent, which only the check of a
        // blob's deletion reads.
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

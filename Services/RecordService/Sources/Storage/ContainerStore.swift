package import PostgresClient

/// Containers, their two environments and the environments' partitions.
package struct ContainerStore: Sendable {
    private let pool: PostgresPool

    /// A store over `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Makes a container with its environments, public databases and tables.
    ///
    /// - Returns: false when it was there already.
    package func create(_ name: String) async throws -> Bool {
        try await pool.withTransaction { connection in
            let made = try await connection.query(
                "insert into record.container (name) values ($1) on conflict do nothing returning id", [.text(name)])
            guard let container = made.first?.int32(0) else { return false }
            for environment in ["development", "production"] {
                let row = try await connection.query(
                    "insert into record.environment (container, name) values ($1, $2) returning id",
                    [.int4(container), .text(environment)])
                guard let id = row.first.map({ EnvironmentRow($0.int32(0)) }) else { continue }
                _ = try await connection.query(
                    """
                    with made as (
                        insert into record.database (environment, scope, owner) values ($1, 1, '_public') returning id)
                    insert into record.zone (database, name) select id, '_defaultZone' from made
                    """, [.int4(id.rawValue)])
                try await connection.execute(script: Self.partitions(of: id))
            }
            return true
        }
    }

    /// Every container's name, in order.
    package func list() async throws -> [String] {
        try await pool.withConnection { connection in
            try await connection.query("select name from record.container order by name").map { $0.string(0) }
        }
    }

    /// Removes a container with everything in it. Its rows are out of sight when this returns; the tables go with them.
    ///
    /// - Returns: false when there is none of that name.
    package func delete(_ name: String) async throws -> Bool {
        let environments = try await pool.withTransaction { connection -> [EnvironmentRow]? in
            let rows = try await connection.query(
                """
                select e.id from record.container c left join record.environment e on e.container = c.id
                where c.name = $1 for update of c
                """, [.text(name)])
            guard !rows.isEmpty else { return nil }
            _ = try await connection.query("delete from record.container where name = $1", [.text(name)])
            return rows.compactMap { $0.int32IfPresent(0).map(EnvironmentRow.init) }
        }
        guard let environments else { return false }
        for environment in environments {
            for (parent, table) in [
                ("record.record", environment.recordTable), ("record.asset_use", environment.assetUseTable),
            ] {
                // `concurrently` waits for running statements without holding new ones up; it takes no transaction.
                try await pool.withConnection { connection in
                    try await connection.execute(
                        script: "alter table \(parent) detach partition \(table) concurrently")
                    try await connection.execute(script: "drop table \(table)")
                }
            }
        }
        return true
    }

    /// `like` and `attach`: creating a partition in place would wait for every open reader of the parent.
    private static func partitions(of environment: EnvironmentRow) -> String {
        let id = environment.rawValue
        return """
            create table \(environment.recordTable) (like record.record including all, check (environment = \(id)));
            alter table record.record attach partition \(environment.recordTable) for values in (\(id));
            create table \(environment.assetUseTable) (like record.asset_use including all, check (environment = \(id)));
            alter table record.asset_use attach partition \(environment.assetUseTable) for values in (\(id));
            """
    }
}

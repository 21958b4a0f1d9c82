internal import CloudKitModel
package import CloudKitSchema
package import PostgresClient

/// Creates and deletes containers, their two environments and the environments' partitions.
package struct ContainerStore: Sendable {
    private let pool: PostgresPool

    /// Creates a store that uses `pool`.
    package init(pool: PostgresPool) { self.pool = pool }

    /// Creates a container with its environments, public databases and tables, unless it already exists.
    ///
    /// - Throws: `PostgresError`.
    package func create(_ name: String) async throws {
        _ = try await pool.withTransaction { try await Self.create(name, on: $0) }
    }

    /// Creates a container with its environments, public databases and tables, in the transaction of `connection`.
    ///
    /// - Returns: false if the container already exists.
    /// - Throws: `PostgresError`.
    package static func create(_ name: String, on connection: PostgresConnection) async throws -> Bool {
        let made = try await connection.query(
            "insert into record.container (name) values ($1) on conflict do nothing returning id", [.text(name)])
        guard let container = made.first?.int32(0) else { return false }
        for environment in EnvironmentName.allCases {
            try await makeEnvironment(environment, in: container, schema: SchemaDefinition(), on: connection)
        }
        return true
    }

    /// Creates an environment with its public database, its tables and `schema`.
    @discardableResult
    private static func makeEnvironment(
        _ name: EnvironmentName, in container: Int32, schema: SchemaDefinition, on connection: PostgresConnection
    ) async throws -> EnvironmentRow {
        let row = try await connection.query(
            "insert into record.environment (container, name) values ($1, $2) returning id",
            [.int4(container), .text(name.rawValue)])
        let id = EnvironmentRow(row[0].int32(0))
        _ = try await connection.query(
            """
            with made as (
                insert into record.database (environment, scope, owner) values ($1, 1, '_public') returning id)
            insert into record.zone (database, name) select id, '_defaultZone' from made
            """, [.int4(id.rawValue)])
        try await connection.execute(script: partitions(of: id))
        _ = try await SchemaTable(id).replace(EnvironmentSchema(), with: schema, on: connection)
        return id
    }

    /// Replaces `environment` with a new, empty one that has `schema`, in the transaction of `connection`. The
    /// transaction must already hold the lock ``SchemaLock/exclusive(_:)`` on `environment`. The commit makes the old
    /// environment invisible; its tables are dropped in the background (``Reclaimer``).
    ///
    /// - Throws: `PostgresError`, such as ``PostgresError/environmentGone``, or `StoredValueError`.
    package static func reset(
        _ environment: EnvironmentRow, schema: SchemaDefinition, on connection: PostgresConnection
    ) async throws -> EnvironmentRow {
        let old = try await connection.pipeline([
            PostgresCall(
                """
                insert into record.job (kind, arguments)
                values ('environment.reclaim', jsonb_build_object('environment', $1::int4))
                """, [.int4(environment.rawValue)]),
            PostgresCall(
                "delete from record.environment where id = $1 returning container, name",
                [.int4(environment.rawValue)]),
        ])
        // The container might have been deleted since it was looked up.
        guard let row = old[1].first else { throw PostgresError.environmentGone }
        return try await makeEnvironment(
            try EnvironmentName(stored: row.string(1), column: "record.environment.name"), in: row.int32(0),
            schema: schema, on: connection)
    }

    /// Returns the names of all containers, sorted.
    ///
    /// - Throws: `PostgresError`.
    package func list() async throws -> [String] {
        try await pool.withConnection { connection in
            try await connection.query("select name from record.container order by name").map { $0.string(0) }
        }
    }

    /// Deletes a container in the transaction of `connection`. The commit makes the container invisible; its tables are
    /// dropped in the background (``Reclaimer``).
    ///
    /// - Returns: false if there is no such container.
    /// - Throws: `PostgresError`.
    package static func delete(_ name: String, on connection: PostgresConnection) async throws -> Bool {
        let jobs = try await connection.pipeline([
            PostgresCall(
                """
                insert into record.job (kind, arguments)
                select 'environment.reclaim', jsonb_build_object('environment', e.id)
                from record.environment e join record.container c on c.id = e.container where c.name = $1
                """, [.text(name)]),
            PostgresCall("delete from record.container where name = $1", [.text(name)]),
        ])
        return jobs[1].affectedRows > 0
    }

    /// Returns the script that creates the partitions. It creates each table with `like` and then attaches it, because
    /// `create table … partition of` would wait for every reader of the parent table.
    ///
    /// Attaching the asset-use table adds its foreign key, which locks `asset.blob` against changes until the commit.
    /// Uploads therefore wait while a container is created, but saves that refer to blobs do not.
    private static func partitions(of environment: EnvironmentRow) -> String {
        let id = environment.rawValue
        return """
            create table \(environment.recordTable) (like record.record including all, check (environment = \(id)));
            alter table record.record attach partition \(environment.recordTable) for values in (\(id));
            create table \(environment.assetUseTable) (like record.asset_use including all, check (environment = \(id)));
            alter table record.asset_use attach partition \(environment.assetUseTable) for values in (\(id));
            create table \(environment.referenceTable) (like record.reference including all, check (environment = \(id)));
            alter table record.reference attach partition \(environment.referenceTable) for values in (\(id));
            """
    }
}

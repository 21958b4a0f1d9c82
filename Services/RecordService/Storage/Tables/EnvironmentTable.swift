package import CloudKitModel
package import PostgresClient

/// The SQL statements for `record.environment`.
package enum EnvironmentTable {
    /// Reads the row of an environment; ``row(_:)`` decodes it.
    package static func find(container: String, environment: EnvironmentName) -> PostgresCall {
        PostgresCall(
            """
            select e.id from record.environment e join record.container c on c.id = e.container
            where c.name = $1 and e.name = $2
            """, [.text(container), .text(environment.rawValue)])
    }

    /// Returns the environment that ``find(container:environment:)`` found; nil if there is none.
    package static func row(_ result: PostgresResult) -> EnvironmentRow? {
        result.first.map { EnvironmentRow($0.int32(0)) }
    }

    /// Reads the environments of a container, ordered by name; ``named(_:)`` decodes them.
    package static func all(of container: String) -> PostgresCall {
        PostgresCall(
            """
            select e.id, e.name from record.environment e join record.container c on c.id = e.container
            where c.name = $1 order by e.name
            """, [.text(container)])
    }

    /// Returns the environments that ``all(of:)`` found; empty if there is no such container.
    ///
    /// - Throws: `StoredValueError`.
    package static func named(
        _ result: PostgresResult
    ) throws -> [(row: EnvironmentRow, name: EnvironmentName)] {
        try result.map {
            (EnvironmentRow($0.int32(0)), try EnvironmentName(stored: $0.string(1), column: "record.environment.name"))
        }
    }

    /// Reads every environment; ``rows(_:)`` decodes them.
    package static let all: PostgresStatement = "select id from record.environment order by id"

    /// Returns the environments that ``all`` found.
    package static func rows(_ result: PostgresResult) -> [EnvironmentRow] {
        result.map { EnvironmentRow($0.int32(0)) }
    }

    /// Increments the schema version, so that every instance reads the schema again. The result has one column: the new
    /// version.
    ///
    /// - Parameter changesRights: whether part of the schema is removed or users' permissions change. If so,
    ///   ``EnvironmentSchema/rights`` is incremented too.
    package static func raiseVersion(_ environment: EnvironmentRow, changesRights: Bool = true) -> PostgresCall {
        PostgresCall(
            """
            update record.environment set schema_version = schema_version + 1,
                rights = case when $2 then nextval('record.rights') else rights end
            where id = $1 returning schema_version
            """, [.int4(environment.rawValue), .bool(changesRights)])
    }
}

/// The environments of one container.
package struct ContainerEnvironments: Sendable {
    /// The row of `development`.
    package let development: EnvironmentRow
    /// The row of `production`.
    package let production: EnvironmentRow

    /// Reads the environments of `container` from the database, bypassing the cache of ``ZoneDirectory``. Takes one
    /// round trip.
    ///
    /// - Throws: `NOT_FOUND` if there is no such container, `PostgresError`, or `StoredValueError`.
    package static func find(_ container: String, on connection: PostgresConnection) async throws
        -> ContainerEnvironments
    {
        let found = try EnvironmentTable.named(await connection.pipeline([EnvironmentTable.all(of: container)])[0])
        guard let development = found.first(where: { $0.name == .development }),
            let production = found.first(where: { $0.name == .production })
        else { throw ServerError.badContainer(container) }
        return ContainerEnvironments(development: development.row, production: production.row)
    }

    /// The environment called `name`.
    package subscript(_ name: EnvironmentName) -> EnvironmentRow { name == .production ? production : development }

    /// Locks the schemas of both environments exclusively, in order of the environments' ids. Every transaction that
    /// locks several schemas uses this order.
    ///
    /// - Throws: `PostgresError`.
    package func lock(on connection: PostgresConnection) async throws {
        let sorted = [development, production].sorted { $0.rawValue < $1.rawValue }
        _ = try await connection.pipeline(sorted.map(SchemaLock.exclusive))
    }
}

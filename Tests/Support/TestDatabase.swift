import Foundation
import Logging
package import PostgresClient

/// A database of its own for a suite, owned by a role of its own without further rights, as a service has it.
package struct TestDatabase: Sendable {
    /// The database's and the role's name.
    package let name: String
    /// The URL for that role.
    package let url: String
    private let superuserURL: String

    /// Makes the role and the database.
    ///
    /// - Throws: `PostgresError`, ``TestFailure``.
    package static func make(in environment: TestEnvironment) async throws -> TestDatabase {
        let name = TestEnvironment.uniqueName("db")
        guard var url = URLComponents(string: environment.postgresURL) else {
            throw TestFailure("ZONDA_TEST_POSTGRES_URL cannot be read")
        }
        try await execute(environment.postgresURL, "create role \(name) login password '\(name)'")
        try await execute(environment.postgresURL, "create database \(name) owner \(name)")
        (url.user, url.password, url.path) = (name, name, "/\(name)")
        return TestDatabase(name: name, url: url.string ?? "", superuserURL: environment.postgresURL)
    }

    /// Removes it with whatever is still connected to it.
    ///
    /// - Throws: `PostgresError`.
    package func drop() async throws {
        try await Self.execute(superuserURL, "drop database if exists \(name) with (force)")
        try await Self.execute(superuserURL, "drop role if exists \(name)")
    }

    /// Runs a query in the database over a connection of its own.
    ///
    /// - Throws: `PostgresError`.
    package func query(_ statement: PostgresStatement, _ parameters: [PostgresParameter] = []) async throws
        -> PostgresResult
    {
        try await Self.withConnection(url) { try await $0.query(statement, parameters) }
    }

    private static func execute(_ url: String, _ statement: String) async throws {
        try await withConnection(url) { try await $0.execute(script: statement) }
    }

    private static func withConnection<Result: Sendable>(
        _ url: String, _ body: @escaping @Sendable (PostgresConnection) async throws -> Result
    ) async throws -> Result {
        var configuration = PostgresConfiguration(url: url)
        configuration.maxConnections = 1
        configuration.applicationName = "zonda-test"
        let pool = PostgresPool(
            configuration: configuration, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            defer { group.cancelAll() }
            return try await pool.withConnection { try await body($0) }
        }
    }
}

import Foundation
import Logging
package import PostgresClient

/// A database that only one suite uses. Its owner is a separate role that may create roles, like the role with which a
/// deployment is set up.
package struct TestDatabase: Sendable {
    /// The name of both the database and the role.
    package let name: String
    /// The URL of the database for this role.
    package let url: String
    private let superuserURL: String

    /// Creates the role and the database.
    ///
    /// - Throws: `PostgresError`, ``TestFailure``.
    package static func make(in environment: TestEnvironment) async throws -> TestDatabase {
        let name = TestEnvironment.uniqueName("db")
        guard var url = URLComponents(string: environment.postgresURL) else {
            throw TestFailure("ZONDA_TEST_POSTGRES_URL is invalid")
        }
        try await execute(environment.postgresURL, "create role \(name) login createrole password '\(name)'")
        try await execute(environment.postgresURL, "create database \(name) owner \(name)")
        (url.user, url.password, url.path) = (name, name, "/\(name)")
        return TestDatabase(name: name, url: url.string ?? "", superuserURL: environment.postgresURL)
    }

    /// Drops the database, its role and the roles in `roles`, and ends the remaining connections.
    ///
    /// - Throws: `PostgresError`.
    package func drop(roles: [String] = []) async throws {
        try await Self.execute(superuserURL, "drop database if exists \(name) with (force)")
        let all = (roles + [name]).joined(separator: ", ")
        try await Self.execute(superuserURL, "drop role if exists \(all)")
    }

    /// Runs a query in the database over a separate connection.
    ///
    /// - Parameter role: the URL of a role other than the owner.
    /// - Throws: `PostgresError`.
    @discardableResult
    package func query(
        _ statement: PostgresStatement, _ parameters: [PostgresParameter] = [], as role: String? = nil
    ) async throws -> PostgresResult {
        try await Self.withConnection(role ?? url) { try await $0.query(statement, parameters) }
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

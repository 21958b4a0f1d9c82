import Foundation
import Logging
package import PostgresClient

/// A database of its own for a suite, owned by a role of its own that may make roles, as whoever sets up a deployment
/// does.
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
        try await execute(environment.postgresURL, "create role \(name) login createrole password '\(name)'")
        try await execute(environment.postgresURL, "create database \(name) owner \(name)")
        (url.user, url.password, url.path) = (name, name, "/\(name)")
        return TestDatabase(name: name, url: url.string ?? "", superuserURL: environment.postgresURL)
    }

    /// Removes it with whatever is still connected to it, and further roles.
    ///
    /// - Throws: `PostgresError`.
    package func drop(roles: [String] = []) async throws {
        try await Self.execute(superuserURL, "drop database if exists \(name) with (force)")
        let all = (roles + [name]).joined(separator: ", ")
        try await Self.execute(superuserURL, "drop role if exists \(all)")
    }

    /// Runs a query in the database over a connection of its own.
    ///
    /// - Parameter role: the address of another role than the owner.
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

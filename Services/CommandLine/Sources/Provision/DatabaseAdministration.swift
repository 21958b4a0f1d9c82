import CommandLineSession
import FoundationEssentials
import Logging
import PostgresClient

/// An administrator's connection to a database.
struct DatabaseAdministration: Sendable {
    /// The URL.
    var url: String
    /// The administrator's password; nil if the URL contains it.
    var password: String?
    /// The maximum wait for a server that is starting.
    var patience: Duration

    /// Runs `body` in a transaction. Only one such transaction can run in the database at a time.
    ///
    /// - Throws: `PostgresError`, and any error that `body` throws.
    func withTransaction(_ body: @escaping @Sendable (PostgresConnection) async throws -> Void) async throws {
        var configuration = PostgresConfiguration(url: url)
        configuration.password = password
        configuration.applicationName = "zonda"
        configuration.maxConnections = 1
        configuration.leaseTimeout = patience
        let pool = PostgresPool(configuration: configuration, logger: Logger.commandLine)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            defer { group.cancelAll() }
            try await pool.withTransaction { connection in
                // Without this lock, concurrent runs would try to create the same roles.
                _ = try await connection.query(
                    PostgresStatement("select pg_advisory_xact_lock(hashtext('zonda provision'))", isPrepared: false))
                try await body(connection)
            }
        }
    }
}

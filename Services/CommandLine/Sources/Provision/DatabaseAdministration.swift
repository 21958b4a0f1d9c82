import CommandLineSession
import FoundationEssentials
import Logging
import PostgresClient

/// A database as its administrator sees it, for one piece of work.
struct DatabaseAdministration: Sendable {
    /// Where it is.
    var url: String
    /// The administrator's; nil: the URL has it.
    var password: String?
    /// How long a server that is not there yet is waited for.
    var patience: Duration

    /// Runs `body` in a transaction in which nobody else administers.
    ///
    /// - Throws: `PostgresError`, and what `body` throws.
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
                // Two at once would make the same roles.
                _ = try await connection.query(
                    PostgresStatement("select pg_advisory_xact_lock(hashtext('zonda provision'))", isPrepared: false))
                try await body(connection)
            }
        }
    }
}

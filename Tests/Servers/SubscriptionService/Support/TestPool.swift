import Logging
import PostgresClient
import RequestServing
import TestSupport

@testable import SubscriptionService
@testable import SubscriptionStorage

let testLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Creates a database with the service's schema, passes to `body` a pool configured as in the service, and drops it.
func withTestPool(_ body: (PostgresPool) async throws -> Void) async throws {
    let database = try await TestDatabase.make(in: try TestEnvironment.required())
    do {
        try await withPool(database.url) { pool in
            _ = try await SubscriptionMigrations.migrator.apply(on: pool, logger: testLogger)
            try await TimePartitions.subscription(pool: pool, logger: testLogger).runOnce()
            try await body(pool)
        }
    } catch {
        try? await database.drop()
        throw error
    }
    try await database.drop()
}

/// Runs a pool that is configured as in the service while the closure runs.
func withPool<Value: Sendable>(_ url: String, _ body: (PostgresPool) async throws -> Value) async throws -> Value {
    var configuration = PostgresConfiguration(url: url)
    configuration.parameters = HostConfiguration.sessionParameters
    let pool = PostgresPool(configuration: configuration, logger: testLogger)
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { try await pool.run() }
        defer { group.cancelAll() }
        return try await body(pool)
    }
}

extension PostgresPool {
    /// Waits until the condition is true. The server does the waiting.
    func waitUntil(_ condition: String) async throws {
        let question = PostgresStatement("select (\(condition)) from pg_sleep(0.01)", isPrepared: false)
        while try await !withConnection({ try await $0.query(question)[0].bool(0) }) {}
    }
}

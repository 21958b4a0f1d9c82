import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import Logging
import PostgresClient
import RequestServing
import ServiceMessages
import ServiceRuntime
import SignedTokens
import Testing

@testable import RecordService
@testable import RecordStorage

/// A database for one test on the server that `ZONDA_TEST_POSTGRES_URL` names. It has the tables of the asset service
/// and of the record service. A role with the same rights as in a deployment created the latter.
struct RecordDatabase: Sendable {
    static let serverURL = ProcessInfo.processInfo.environment["ZONDA_TEST_POSTGRES_URL"]
    static let container = "com.example.assets"
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    static let retry = DatabaseRetry(logger: logger, metrics: RequestMetrics(ServiceMetrics()))
    /// Limits the number of databases, because each uses some of the server's limited connections.
    private static let permits = AsyncSemaphore(permits: 12)
    private static let secret = "test:" + String(repeating: "5a", count: 32)

    /// Connects as the record service.
    let pool: PostgresPool
    /// Connects as a superuser, to imitate the asset service and to shift times.
    let superuser: PostgresPool
    let store: OperationDependencies

    static func keys(_ purpose: SigningKeys.Purpose) throws -> SigningKeys {
        try SigningKeys(parsing: secret, for: purpose)
    }

    /// Creates a database, passes it to `body`, and drops it.
    static func with(_ body: @escaping @Sendable (RecordDatabase) async throws -> Void) async throws {
        let server = try #require(serverURL)
        try await permits.withPermit { try await with(server, body) }
    }

    private static func with(
        _ server: String, _ body: @escaping @Sendable (RecordDatabase) async throws -> Void
    ) async throws {
        let name = "zonda_test_record_\(UInt64.random(in: .min ... .max))"
        try await withPool(server) { server in
            try await server.withConnection {
                try await $0.execute(script: "create role \(name) login password '\(name)'")
                try await $0.execute(script: "create database \(name)")
            }
            let result: Result<Void, any Error>
            do { result = .success(try await withDatabase(name, body)) } catch { result = .failure(error) }
            try await server.withConnection {
                try await $0.execute(script: "drop database \(name) with (force)")
                try await $0.execute(script: "drop role \(name)")
            }
            try result.get()
        }
    }

    private static func withDatabase(
        _ name: String, _ body: @escaping @Sendable (RecordDatabase) async throws -> Void
    ) async throws {
        var url = try #require(URLComponents(string: serverURL ?? ""))
        url.path = "/\(name)"
        let superURL = try #require(url.string)
        (url.user, url.password) = (name, name)
        let ownURL = try #require(url.string)
        try await withPool(superURL) { superuser in
            let assets = try String(contentsOf: assetMigration, encoding: .utf8)
            try await superuser.withConnection {
                try await $0.execute(
                    script: """
                        create schema asset; \(assets)
                        grant create on database \(name) to \(name); grant usage on schema asset to \(name);
                        grant references on asset.blob to \(name);
                        """)
            }
            try await withPools(ownURL) { pool, queryPool in
                _ = try await RecordMigrations.migrator.apply(on: pool, logger: logger)
                try await TimePartitions.record(pool: pool, logger: logger).runOnce()
                try await ContainerStore(pool: pool).create(container)
                let store = OperationDependencies(
                    pool: pool, directory: ZoneDirectory(pool: pool, createsContainers: false),
                    schema: SchemaStore(pool: pool), keys: try keys(.syncToken), markerKeys: try keys(.queryMarker),
                    present: StoreIncarnation(1), limits: Limits(),
                    downloads: AssetDownloads(
                        base: "https://assets.example", keys: try keys(.assetDownload), life: .seconds(60)),
                    queryPool: queryPool, indexes: QueryIndexes(pool: pool, reading: queryPool))
                try await body(RecordDatabase(pool: pool, superuser: superuser, store: store))
            }
        }
    }

    /// Services never import each other, so the test reads the file itself.
    private static let assetMigration = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../../Services/AssetService/Storage/Migrations/0001_assets.sql")

    /// Passes to `body` the service's pool and the pool for its queries.
    private static func withPools(
        _ url: String, _ body: @escaping @Sendable (PostgresPool, PostgresPool) async throws -> Void
    ) async throws {
        try await withPool(url) { pool in
            try await withPool(url, QuerySource.sessionParameters) { try await body(pool, $0) }
        }
    }

    private static func withPool(
        _ url: String, _ parameters: [String: String] = [:],
        _ body: @escaping @Sendable (PostgresPool) async throws -> Void
    ) async throws {
        var configuration = PostgresConfiguration(url: url)
        configuration.parameters.merge(HostConfiguration.sessionParameters) { $1 }
        configuration.parameters.merge(ZoneSharing.sessionParameters) { $1 }
        configuration.parameters.merge(parameters) { $1 }
        configuration.maxConnections = 3
        let pool = PostgresPool(configuration: configuration, logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            let result: Result<Void, any Error>
            do { result = .success(try await body(pool)) } catch { result = .failure(error) }
            group.cancelAll()
            try? await group.waitForAll()
            try result.get()
        }
    }
}

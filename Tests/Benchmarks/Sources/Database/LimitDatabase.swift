internal import AMQPClient
internal import CloudKitModel
internal import Foundation
internal import Logging
internal import PostgresClient
internal import RecordService
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// A new database on the measured server. It has the record service's schema, and one container with zones, as at the
/// beginning of a load.
struct LimitDatabase: Sendable {
    /// Connections to the database.
    let pool: PostgresPool
    /// The zones, all of one private database.
    let zones: [ZoneEntry]
    /// The context of the requests.
    let context: RequestContext

    private static let namePrefix = "zonda_limits_"

    /// Creates a database, passes it to `body` and drops it.
    ///
    /// - Parameters:
    ///   - url: the service's database; the new one is on the same server and belongs to the same role.
    ///   - connections: the maximum number of connections that `body` may use concurrently.
    ///   - zoneCount: the number of zones.
    static func with<Result: Sendable>(
        url: String, connections: Int, zoneCount: Int, _ body: (LimitDatabase) async throws -> Result
    ) async throws -> Result {
        let name = "\(namePrefix)\(UInt32.random(in: .min ... .max))"
        guard var components = URLComponents(string: url) else {
            throw LimitFailure("the database's URL is invalid")
        }
        components.path = "/\(name)"
        guard let own = components.string else { throw LimitFailure("the database's URL cannot be changed") }

        return try await withPool(url: url, connections: 1) { administration in
            try await dropLeftOvers(administration)
            try await administration.withConnection { try await $0.execute(script: "create database \(name)") }
            let result: Swift.Result<Result, any Error>
            do {
                result = .success(
                    try await withPool(url: own, connections: connections) { pool in
                        try await body(try await LimitDatabase(pool: pool, zoneCount: zoneCount))
                    })
            } catch {
                result = .failure(error)
            }
            // Dropped without force, which would require rights over autovacuum's processes. Without force, the server
            // ends these processes itself.
            try await administration.withConnection { try await $0.execute(script: "drop database \(name)") }
            return try result.get()
        }
    }

    /// Drops databases that killed measurements have left behind, except those that another measurement is using.
    private static func dropLeftOvers(_ pool: PostgresPool) async throws {
        try await pool.withConnection { connection in
            let names = try await connection.query(
                """
                select d.datname from pg_database d where starts_with(d.datname, $1)
                    and not exists (select from pg_stat_activity a where a.datname = d.datname)
                """, [.text(namePrefix)]
            ).map { $0.string(0) }
            for name in names { try await connection.execute(script: "drop database \(name)") }
        }
    }

    private init(pool: PostgresPool, zoneCount: Int) async throws {
        // A substitute for the asset service's table, to which uses of blobs refer. The records of a load have no
        // assets.
        try await pool.withConnection {
            try await $0.execute(script: "create schema asset; create table asset.blob (id bigint primary key);")
        }
        _ = try await RecordMigrations.migrator.apply(on: pool, logger: .limits)
        try await TimePartitions.record(pool: pool, logger: .limits).runOnce()
        var properties = AMQPProperties(messageID: UUID().uuidString, headers: LoadShape.headers())
        properties.headers[Header.container] = "iCloud.org.example.limits"
        let context = try RequestContext(properties, operation: .recordsModify)
        let directory = ZoneDirectory(pool: pool, createsContainers: true)
        guard let database = try await directory.database(for: context, create: true) else {
            throw LimitFailure("the environment could not be created")
        }
        _ = try await pool.withConnection { connection in
            try await connection.query(
                "insert into record.zone (database, name) select $1, 'load-' || n from generate_series(0, $2 - 1) n",
                [.int8(database.id), .int4(Int32(zoneCount))])
        }
        var zones: [ZoneEntry] = []
        for number in 0..<zoneCount {
            guard let zone = try await directory.zone("load-\(number)", for: context, createDatabase: false) else {
                throw LimitFailure("a zone could not be created")
            }
            zones.append(zone)
        }
        (self.pool, self.zones, self.context) = (pool, zones, context)
    }

    /// Passes connections to the database at `url` to `body`, and closes them afterwards.
    ///
    /// - Parameter parameters: the parameters of the sessions; by default, those of a service.
    static func withPool<Result: Sendable>(
        url: String, connections: Int, parameters: [String: String] = HostConfiguration.sessionParameters,
        _ body: (PostgresPool) async throws -> Result
    ) async throws -> Result {
        var configuration = PostgresConfiguration(url: url)
        configuration.parameters.merge(parameters) { $1 }
        configuration.maxConnections = connections
        configuration.applicationName = "zonda-limits"
        let pool = PostgresPool(configuration: configuration, logger: .limits)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            let result: Swift.Result<Result, any Error>
            do { result = .success(try await body(pool)) } catch { result = .failure(error) }
            // No connection may remain to a database that is about to be dropped.
            group.cancelAll()
            try? await group.waitForAll()
            return try result.get()
        }
    }
}

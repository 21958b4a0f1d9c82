package import CloudKitModel
internal import Foundation
package import PostgresClient
package import ServiceMessages
internal import Synchronization

/// Finds environments, databases and zones by name, and remembers them.
///
/// Another instance can delete a container or reset its development environment, after which new rows can have the same
/// names. Environments and databases are therefore remembered only until they turn out to be gone, and are then
/// forgotten with ``forget(container:)``. Another instance can also delete a zone at any time; the caller that locks or
/// reads the zone's row notices this and calls ``forget(_:)``.
package final class ZoneDirectory: Sendable {
    private struct Memory {
        var environments = RecentCache<EnvironmentKey, EnvironmentEntry>(maxCost: maxEnvironments)
        var databases: RecentCache<DatabaseKey, DatabaseEntry>
        var zones: RecentCache<ZoneAddress, ZoneEntry>

        /// Databases get a quarter of the bytes, and zones get three quarters.
        init(maxBytes: Int) {
            databases = RecentCache(maxCost: maxBytes / 4)
            zones = RecentCache(maxCost: maxBytes / 4 * 3)
        }

        mutating func keep(_ database: DatabaseEntry, for key: DatabaseKey) {
            databases.keep(database, for: key, cost: 160 + key.owner.utf8.count)
        }

        mutating func keep(_ zone: ZoneEntry) {
            let address = zone.address
            let texts = address.container.utf8.count + address.owner.utf8.count + address.zone.rawValue.utf8.count
            // The cost covers a dictionary slot with its spare capacity, the entry (which contains the address again)
            // and the strings.
            zones.keep(zone, for: address, cost: 400 + 2 * texts)
        }
    }

    /// The maximum number of remembered environments.
    private static let maxEnvironments = 20_000
    /// The maximum number of times that a database is created again because it was removed before it could be looked
    /// up.
    private static let maxAttempts = 5

    private struct EnvironmentKey: Hashable {
        var container: String
        var environment: EnvironmentName
    }

    private struct EnvironmentEntry {
        var row: EnvironmentRow
        var isProduction: Bool
    }

    struct DatabaseKey: Hashable {
        var environment: EnvironmentRow
        var scope: DatabaseScope
        var owner: String
    }

    let pool: PostgresPool
    let createsContainers: Bool
    private let memory: Mutex<Memory>

    /// Creates a directory that uses `pool`.
    ///
    /// - Parameters:
    ///   - createsContainers: whether a container is created on first use.
    ///   - maxBytes: the approximate maximum size of the remembered databases and zones, in bytes.
    package init(pool: PostgresPool, createsContainers: Bool, maxBytes: Int = 128 << 20) {
        self.pool = pool
        self.createsContainers = createsContainers
        memory = Mutex(Memory(maxBytes: maxBytes))
    }

    /// Returns the database that a request names. Takes no round trip if the database is remembered.
    ///
    /// - Parameter create: whether to create the database if it does not exist. The user's first write or sync creates
    ///   the private database. The shared database, whose zones belong to other users, is never created.
    /// - Returns: nil if the database does not exist and `create` is false.
    /// - Throws: `NOT_FOUND` if the container does not exist, or `PostgresError`.
    package func database(for context: RequestContext, create: Bool) async throws -> DatabaseEntry? {
        let environment = try await self.environment(container: context.container, environment: context.environment)
        let create = create && context.scope != .shared
        let scope: DatabaseScope = context.scope == .public ? .public : .private
        let key = DatabaseKey(environment: environment.row, scope: scope, owner: context.databaseOwner)
        if let known = memory.withLock({ $0.databases.value(key) }) { return known }
        var id = try await findDatabase(key, create: create)
        // If the environment is reset between the two statements, a row that existed during the insert might no longer
        // exist at the time of the look-up.
        for _ in 0..<Self.maxAttempts where create && id == nil { id = try await findDatabase(key, create: create) }
        guard let id else { return nil }
        let entry = DatabaseEntry(environment: environment.row, isProduction: environment.isProduction, id: id)
        memory.withLock { $0.keep(entry, for: key) }
        return entry
    }

    private func findDatabase(_ key: DatabaseKey, create: Bool) async throws -> Int64? {
        try await pool.withTransaction { connection -> Int64? in
            if create {
                _ = try await connection.query(
                    """
                    with made as (
                        insert into record.database (environment, scope, owner) values ($1, $2, $3)
                        on conflict do nothing returning id)
                    insert into record.zone (database, name) select id, '_defaultZone' from made
                    """,
                    [.int4(key.environment.rawValue), .int2(Int16(key.scope.rawValue)), .text(key.owner)])
            }
            let rows = try await connection.query(
                "select id from record.database where environment = $1 and scope = $2 and owner = $3",
                [.int4(key.environment.rawValue), .int2(Int16(key.scope.rawValue)), .text(key.owner)])
            return rows.first?.int64(0)
        }
    }

    /// Returns the environment that a request names, and whether it is `production`.
    ///
    /// - Throws: the same errors as ``database(for:create:)``.
    package func environment(for context: RequestContext) async throws -> (row: EnvironmentRow, isProduction: Bool) {
        let entry = try await environment(container: context.container, environment: context.environment)
        return (entry.row, entry.isProduction)
    }

    /// Returns the live zone called `name` in the database that a request names; nil if there is none.
    ///
    /// - Throws: the same errors as ``database(for:create:)``.
    package func zone(_ name: ZoneName, for context: RequestContext, createDatabase: Bool) async throws -> ZoneEntry? {
        let address = context.address(ofZone: name)
        if let known = memory.withLock({ $0.zones.value(address) }) { return known }
        guard let database = try await database(for: context, create: createDatabase) else { return nil }
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                select z.id, z.incarnation from record.database d left join record.zone z
                    on z.database = d.id and z.name = $2 and z.deleted_at is null
                where d.id = $1
                """,
                [.int8(database.id), .text(name.rawValue)])
        }
        guard let row = rows.first else {
            // Another instance deleted the container or reset the environment, which removed the database.
            forget(container: context.container)
            return try await zone(name, for: context, createDatabase: createDatabase)
        }
        guard !row.isNull(0) else { return nil }
        let entry = ZoneEntry(
            database: database, row: ZoneRow(row.int64(0)), incarnation: row.uuid(1), address: address)
        remember([entry])
        return entry
    }

    /// Remembers live zones.
    package func remember(_ zones: [ZoneEntry]) {
        memory.withLock { memory in
            for zone in zones { memory.keep(zone) }
        }
    }

    /// Returns the zone if it is remembered. Takes no round trip.
    package func remembered(_ address: ZoneAddress) -> ZoneEntry? {
        memory.withLock { $0.zones.value(address) }
    }

    /// Forgets a zone that was deleted.
    package func forget(_ address: ZoneAddress) {
        memory.withLock { $0.zones.forget(address) }
    }

    /// Forgets the zones of the database that a request names. All of them might have been deleted.
    package func forgetZones(of context: RequestContext) {
        memory.withLock { memory in
            _ = memory.zones.forget { context.address(ofZone: $0.zone) == $0 }
        }
    }

    /// Forgets a container and everything in it.
    package func forget(container: String) {
        memory.withLock { memory in
            let rows = memory.environments.forget { $0.container == container }.map(\.row)
            memory.databases.forget { rows.contains($0.environment) }
            memory.zones.forget { $0.container == container }
        }
    }

    private func environment(container: String, environment: EnvironmentName) async throws -> EnvironmentEntry {
        let key = EnvironmentKey(container: container, environment: environment)
        if let known = memory.withLock({ $0.environments.value(key) }) { return known }
        var row = try await findEnvironment(key)
        if row == nil, createsContainers {
            try await ContainerStore(pool: pool).create(container)
            row = try await findEnvironment(key)
        }
        guard let row else { throw ServerError.badContainer(container) }
        let entry = EnvironmentEntry(row: row, isProduction: environment == .production)
        memory.withLock { $0.environments.keep(entry, for: key) }
        return entry
    }

    private func findEnvironment(_ key: EnvironmentKey) async throws -> EnvironmentRow? {
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([
                EnvironmentTable.find(container: key.container, environment: key.environment)
            ])
        }
        return EnvironmentTable.row(results[0])
    }
}

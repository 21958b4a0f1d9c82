package import CloudKitModel
internal import PostgresClient
package import ServiceMessages

extension ZoneDirectory {
    /// A zone to look up.
    package struct Wanted: Sendable {
        /// The context of the request that writes to the zone.
        package let context: RequestContext
        /// The name of the zone.
        package let zone: ZoneName

        /// Creates a look-up.
        package init(context: RequestContext, zone: ZoneName) { (self.context, self.zone) = (context, zone) }

        /// The full name of the zone.
        package var address: ZoneAddress { context.address(ofZone: zone) }
    }

    /// Finds zones in one container with a single statement, in one round trip, and remembers them. Creates missing
    /// databases, which takes a few more round trips. Also creates the container if it is missing and the directory is
    /// configured to do so. Waits no longer than ``LockTimeouts/worker`` for any lock.
    ///
    /// - Returns: the zone for each element of `wanted`, or nil if the zone does not exist.
    /// - Throws: `NOT_FOUND` if the container does not exist, or `PostgresError`.
    package func resolve(_ wanted: [Wanted], in container: String) async throws -> [ZoneEntry?] {
        let opening = [PostgresCall.begin, LockTimeouts.shorten(to: LockTimeouts.worker)]
        let results = try await pool.withConnection {
            try await $0.pipeline(opening + [Self.find(wanted, in: container), .commit])
        }
        var places = Self.places(results[opening.count], of: wanted)
        if zip(wanted, places).contains(where: Self.lacksDatabase) { places = try await make(wanted, in: container) }
        let found = zip(wanted, places).map { wanted, place in place?.entry(of: wanted) }
        remember(found.compactMap { $0 })
        return found
    }

    /// Finds zones in one container, and creates what they lack.
    private func make(_ wanted: [Wanted], in container: String) async throws -> [Place?] {
        try await pool.withTransaction { connection -> [Place?] in
            func find() async throws -> [Place?] {
                Self.places(try await connection.pipeline([Self.find(wanted, in: container)])[0], of: wanted)
            }
            _ = try await connection.pipeline([LockTimeouts.shorten(to: LockTimeouts.worker)])
            var places = try await find()
            if places.contains(where: { $0 == nil }), createsContainers {
                _ = try await ContainerStore.create(container, on: connection)
                places = try await find()
            }
            guard places.allSatisfy({ $0 != nil }) else { throw ServerError.badContainer(container) }
            let unborn = zip(wanted, places.compactMap { $0 }).filter(Self.lacksDatabase)
            if !unborn.isEmpty {
                try await Self.makeDatabases(of: unborn.map { ($0.context, $1.environment) }, on: connection)
                places = try await find()
            }
            return places
        }
    }

    /// Returns whether the environment or the database of a zone is missing. The zones of the shared database belong to
    /// other users, whose databases are never created here.
    private static func lacksDatabase(_ wanted: Wanted, _ place: Place?) -> Bool {
        guard let place else { return true }
        return place.databaseID == nil && wanted.context.scope != .shared
    }

    /// The result of one look-up. A part that does not exist is nil.
    private struct Place {
        let environment: EnvironmentRow
        let databaseID: Int64?
        let zone: (row: ZoneRow, incarnation: PostgresRow)?

        func entry(of wanted: Wanted) -> ZoneEntry? {
            guard let databaseID, let zone else { return nil }
            return ZoneEntry(
                database: DatabaseEntry(
                    environment: environment, isProduction: wanted.context.environment == .production, id: databaseID),
                row: zone.row, incarnation: zone.incarnation.uuid(4), address: wanted.address)
        }
    }

    /// Looks up zones; ``places(_:of:)`` decodes the result.
    private static func find(_ wanted: [Wanted], in container: String) -> PostgresCall {
        PostgresCall(
            """
            select k.position, e.id, d.id, z.id, z.incarnation
            from unnest($2::text[], $3::int2[], $4::text[], $5::text[]) with ordinality
                as k(environment, scope, owner, zone, position)
            left join lateral (select e.id from record.container c join record.environment e on e.container = c.id
                where c.name = $1 and e.name = k.environment offset 0) e on true
            left join lateral (select d.id from record.database d
                where d.environment = e.id and d.scope = k.scope and d.owner = k.owner offset 0) d on true
            left join lateral (select z.id, z.incarnation from record.zone z
                where z.database = d.id and z.name = k.zone and z.deleted_at is null offset 0) z on true
            """, [.text(container)] + columns(of: wanted) + [.textArray(wanted.map(\.zone.rawValue))])
    }

    /// Returns the results of look-ups. The result is nil for each zone whose environment does not exist.
    private static func places(_ rows: PostgresResult, of wanted: [Wanted]) -> [Place?] {
        var places = [Place?](repeating: nil, count: wanted.count)
        for row in rows where !row.isNull(1) {
            places[Int(row.int64(0)) - 1] = Place(
                environment: EnvironmentRow(row.int32(1)), databaseID: row.isNull(2) ? nil : row.int64(2),
                zone: row.isNull(3) ? nil : (ZoneRow(row.int64(3)), row))
        }
        return places
    }

    /// Creates missing databases in a fixed order, so that two instances cannot deadlock.
    private static func makeDatabases(
        of wanted: [(context: RequestContext, environment: EnvironmentRow)], on connection: PostgresConnection
    ) async throws {
        let databases = Set(
            wanted.map { context, environment in
                DatabaseKey(environment: environment, scope: context.scope, owner: context.databaseOwner)
            }
        ).sorted { ($0.environment.rawValue, $0.owner) < ($1.environment.rawValue, $1.owner) }
        _ = try await connection.query(
            """
            with made as (
                insert into record.database (environment, scope, owner)
                select * from unnest($1::int4[], $2::int2[], $3::text[])
                on conflict do nothing returning id)
            insert into record.zone (database, name) select id, '_defaultZone' from made
            """,
            [
                .int4Array(databases.map(\.environment.rawValue)),
                .int2Array(databases.map { Int16($0.scope.rawValue) }),
                .textArray(databases.map(\.owner)),
            ])
    }

    private static func columns(of wanted: [Wanted]) -> [PostgresParameter] {
        [
            .textArray(wanted.map(\.context.environment.rawValue)),
            .int2Array(
                wanted.map { Int16(($0.context.scope == .public ? DatabaseScope.public : .private).rawValue) }),
            .textArray(wanted.map(\.context.databaseOwner)),
        ]
    }
}

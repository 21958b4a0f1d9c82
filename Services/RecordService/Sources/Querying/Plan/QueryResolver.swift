internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitSchema
internal import CloudKitWire
internal import Crypto
internal import PostgresClient
internal import RecordStorage
internal import ServiceMessages

/// Resolves the zones, the record type, the fields and the indexes of a query.
struct QueryResolver: Sendable {
    let source: QuerySource
    let context: RequestContext

    /// The environment and the zones of a query.
    struct Place: Sendable {
        let environment: EnvironmentRow
        let isProduction: Bool
        /// The zones; empty if nothing has ever been saved in the database.
        let zones: [QueryTarget.Zone]
    }

    /// Resolves the zones of `scope`.
    ///
    /// - Throws: `ACCESS_DENIED`, or `ZONE_NOT_FOUND` if the zone does not exist or, in the shared database, if the
    ///   user cannot see it.
    func place(_ scope: QueryScope) async throws -> Place {
        if let zoneID = scope.zoneID { try ZoneAccess.check(zoneID, for: context) }
        let (environment, isProduction) = try await source.directory.environment(for: context)
        // The public database has only one zone, so every query searches that zone.
        let isOfAll = scope.zoneWide && scope.zoneID == nil && context.scope != .public
        return Place(
            environment: environment, isProduction: isProduction,
            zones: isOfAll ? try await allZones() : try await zone(scope.zoneID ?? .defaultZone))
    }

    private func allZones() async throws -> [QueryTarget.Zone] {
        guard let database = try await source.directory.database(for: context, create: false) else { return [] }
        let limit = source.limits.maxZonesPerRequest
        let results = try await QueryTimeout.naming {
            try await source.pool.withConnection { connection in
                try await connection.pipeline([ZoneTable.all(of: database, limit: limit + 1)])
            }
        }
        let zones = ZoneTable.rows(results[0])
        guard zones.count <= limit else { throw ServerError.tooMany("zones", limit: limit, actual: zones.count) }
        return zones.map { QueryTarget.Zone(row: $0.row, name: $0.name) }
    }

    private func zone(_ zoneID: ZoneID) async throws -> [QueryTarget.Zone] {
        let name = zoneID.zoneName
        guard context.scope != .shared else { return [try await sharedZone(zoneID)] }
        guard let zone = try await source.directory.zone(name, for: context, createDatabase: false) else {
            guard zoneID.isDefault else { throw try await source.directory.missing(zoneID, for: context) }
            return []
        }
        return [QueryTarget.Zone(row: zone.row, name: name)]
    }

    /// Resolves a zone of the shared database. Access is read before the query is planned, so that planning errors do
    /// not reveal that a hidden zone exists. It is read again in the snapshot of the records.
    private func sharedZone(_ zoneID: ZoneID) async throws -> QueryTarget.Zone {
        for _ in 0..<Self.maxAttempts {
            let found = try await source.directory.zone(zoneID.zoneName, for: context, createDatabase: false)
            guard let zone = found else { break }
            let results = try await QueryTimeout.naming {
                try await source.pool.withConnection { connection in
                    try await connection.pipeline([
                        ZoneTable.state(of: zone.row), ShareAccessTable.read(of: context.user, in: zone.row),
                    ])
                }
            }
            guard let state = ZoneTable.state(results[0]), !state.isDeleted else {
                // The zone was deleted, and might have been created again.
                source.directory.forget(zone.address)
                continue
            }
            guard ShareAccessTable.access(results[1]) != nil else { break }
            return QueryTarget.Zone(row: zone.row, name: zoneID.zoneName)
        }
        throw ServerError.zoneNotFound(zoneID)
    }

    /// The maximum number of attempts to read a zone that is repeatedly deleted and recreated.
    private static let maxAttempts = 5

    /// Resolves the record type of a query, and determines which of its records the user is allowed to see.
    ///
    /// - Throws: `NOT_FOUND` for an unknown type, `BAD_REQUEST` for a type that cannot be queried, or `ACCESS_DENIED`.
    func target(_ query: Query, in place: Place, _ schema: EnvironmentSchema) throws(ServerError) -> QueryTarget {
        let name = query.recordType
        guard name != RecordTypeName.users.rawValue else {
            throw ServerError(
                .typeNotQueryable, "Records of type '\(name)' cannot be queried", field: "recordType",
                recordType: name)
        }
        guard let type = schema.type(name) else { throw .recordTypeNotFound(name) }
        let rules = AccessRules(context, customRoles: schema.roles(of: context.user))
        // The first check is for the user's own records, the second for records created by other users.
        guard rules.allows(.read, type, name: "", creator: context.user) else {
            throw rules.denial(of: .read, type, typeName: name, name: "", creator: nil)
                ?? .notPermitted("READ", recordType: name)
        }
        let seesAll = rules.allows(.read, type, name: "", creator: nil)
        return QueryTarget(
            environment: place.environment, type: type, zones: place.zones,
            creator: seesAll ? nil : context.user, participant: context.scope == .shared ? context.user : nil)
    }

    /// Plans a query. In development, missing indexes are requested.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the invalid part of the query.
    func plan(_ query: Query, in place: Place, _ schema: EnvironmentSchema) async throws -> QueryPlan {
        var target = try target(query, in: place, schema)
        target.large = try await source.indexes.largeZones.zone(of: place.environment)
        let binder = target.binder(for: context.user)
        let predicate = try binder.bind(query.predicate)
        guard query.sorts.count <= QueryLimits.maxSorts else {
            throw ServerError.tooMany("sorts", limit: QueryLimits.maxSorts, actual: query.sorts.count)
        }
        var sorts: [BoundSort] = []
        for sort in query.sorts { sorts.append(try BoundSort(sort, binder)) }
        let isCompat = source.limits.profile == .compat
        let planner = QueryPlanner(
            target, predicate, sorts: sorts, declaresSystemFields: !place.isProduction && !isCompat)
        if isCompat {
            try CompatRules.check(predicate)
            try planner.checkDeclared()
        }
        let wanted = planner.wanted
        let ready = try await source.indexes.ready(
            wanted, in: place.environment, version: schema.version, mayAsk: !place.isProduction)
        return planner.plan(ready: ready, version: schema.version)
    }

    /// Binds the predicate of a subscription's query. The predicate is evaluated for future changes. The evaluation
    /// uses no index, and the query's sorts have no effect.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the invalid part of the query, as in ``plan(_:in:_:)``.
    func predicate(of query: Query, for target: QueryTarget) throws(ServerError) -> BoundPredicate {
        let predicate = try target.binder(for: context.user).bind(query.predicate)
        if source.limits.profile == .compat {
            try CompatRules.check(predicate)
            // Without a comparison, no index is needed.
            if !predicate.comparisons.isEmpty {
                try QueryPlanner(target, predicate, sorts: [], declaresSystemFields: false).checkDeclared()
            }
        }
        return predicate
    }

    /// Returns a digest that identifies a query. Queries that differ in any part have different digests.
    func digest(_ query: Query, _ scope: QueryScope, _ plan: QueryPlan) -> [UInt8] {
        var request = QueryRecordsRequest(query: query.wire, scope: scope)
        request.scope.zoneID?.ownerRecordName = nil
        var writer = WireWriter()
        writer.queryRecords(request)
        let types = plan.sorts.map { "\($0.operand.type?.storageCode ?? 0)" }.joined(separator: ",")
        let database = RoutingKey.databasePath(context.address(ofZone: "_defaultZone"))
        // The owner and the participants of a zone query the same database, but see different records.
        let reader = context.scope == .shared ? "\u{1F}\(context.user)" : ""
        let text = Array("\(database)\(reader)\u{1F}\(types)\u{1F}".utf8) + writer.bytes
        return Array(SHA256.hash(data: text).prefix(16))
    }
}

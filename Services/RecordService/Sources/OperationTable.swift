internal import CloudKitModel
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// The handler of each operation of the record service.
struct OperationTable: Sendable {
    /// The maximum number of attempts for a request whose environment is removed while the request is being executed.
    /// Several attempts are needed if the environment is reset repeatedly.
    private static let maxAttempts = 10

    private let directory: ZoneDirectory
    private let retry: DatabaseRetry
    /// The creator of missing partitions; nil if another part of the process creates them.
    private let partitions: TimePartitions?
    private let router: OperationRouter
    private let missingZone: MissingZoneOperation

    /// Creates the table. It does not contain `records.modify`, which is answered by the lanes or, if the zone does not
    /// exist, by ``attempt(_:)``.
    init(_ parts: OperationDependencies, retry: DatabaseRetry, partitions: TimePartitions? = nil) {
        directory = parts.directory
        self.retry = retry
        self.partitions = partitions
        missingZone = MissingZoneOperation(
            pool: parts.pool, directory: parts.directory, schema: parts.schema, downloads: parts.downloads,
            limits: parts.limits)
        let handlers = [
            Self.reads(parts), Self.writes(parts), Self.internals(parts), Self.administration(parts),
        ]
        router = OperationRouter(
            .record, except: [.recordsModify], Dictionary(uniqueKeysWithValues: handlers.joined().map { ($0, $1) }))
    }

    private typealias Handlers = [ServiceMessages.Operation: OperationRouter.Handler]

    /// The handlers that read records and zones. The handlers that issue tokens use a single incarnation throughout a
    /// request (``ZoneTokenIssuer/pinned()``).
    private static func reads(_ parts: OperationDependencies) -> Handlers {
        let (pool, directory, limits) = (parts.pool, parts.directory, parts.limits)
        let (tokens, downloads, source) = (parts.tokens, parts.downloads, parts.querySource)
        let lookup = RecordsLookupOperation(
            reader: parts.reader, directory: directory, downloads: downloads, limits: limits)
        let query = RecordsQueryOperation(source: source, markerKeys: parts.markerKeys, downloads: downloads)
        let zoneChanges: @Sendable () -> ZoneChangesOperation = { [reader = parts.reader] in
            ZoneChangesOperation(
                reader: reader, directory: directory, tokens: tokens.pinned(), downloads: downloads, limits: limits)
        }
        let databaseChanges: @Sendable () -> DatabaseChangesOperation = {
            DatabaseChangesOperation(pool: pool, directory: directory, tokens: tokens.pinned(), limits: limits)
        }
        let zones: @Sendable () -> ZonesListOperation = {
            ZonesListOperation(pool: pool, directory: directory, tokens: tokens.pinned(), limits: limits)
        }
        let resolve = RecordsResolveOperation(links: parts.links, downloads: downloads, limits: limits)
        let capabilities = CapabilitiesOperation(limits: limits, throttle: parts.throttle)
        return [
            .recordsLookup: { try await lookup.answer($0) },
            .recordsQuery: { try await query.answer($0) },
            .recordsAggregate: { try await RecordsAggregateOperation(source: source).answer($0) },
            .recordsResolve: { try await resolve.answer($0) },
            .recordsExplain: { try await RecordsExplainOperation(source: source).answer($0) },
            .recordsChanges: { try await zoneChanges().recordChanges($0) },
            .changesZone: { try await zoneChanges().changes($0) },
            .changesDatabase: { try await databaseChanges().answer($0) },
            .zonesChanges: { try await databaseChanges().zoneChanges($0) },
            .zonesList: { try await zones().list($0) },
            .zonesLookup: { try await zones().lookup($0) },
            .serviceCapabilities: { _ in capabilities.answer() },
        ]
    }

    /// The handlers that write zones or accept shares.
    private static func writes(_ parts: OperationDependencies) -> Handlers {
        let (directory, ledger, tokens, limits) = (parts.directory, parts.ledger, parts.tokens, parts.limits)
        let transaction: @Sendable () -> WriteTransaction = {
            // An acceptance or a departure contains no asset receipts, so the keys for receipts are never used.
            WriteTransaction(
                pool: parts.pool, schema: parts.schema, tokens: tokens.pinned(), receiptKeys: parts.keys,
                limits: limits)
        }
        let departure: @Sendable () -> ZoneDeparture = {
            ZoneDeparture(pool: parts.pool, directory: directory, transaction: transaction())
        }
        let links: @Sendable () -> LinkWriter = {
            LinkWriter(links: parts.links, directory: directory, transaction: transaction())
        }
        return [
            .recordsAccept: {
                try await RecordsAcceptOperation(writer: links(), downloads: parts.downloads, limits: limits)
                    .answer($0)
            },
            .sharesRequestAccess: {
                try await SharesRequestAccessOperation(writer: links(), limits: limits).answer($0)
            },
            .zonesModify: {
                try await ZonesModifyOperation(
                    directory: directory, ledger: ledger, tokens: tokens.pinned(), limits: limits,
                    leave: { try await departure().leave($0, $1, position: $2, environment: $3, limit: $4) }
                ).answer($0)
            },
            .zonesPurge: {
                try await ZonesPurgeOperation(
                    directory: directory, ledger: ledger, tokens: tokens.pinned(), limits: limits
                ).answer($0)
            },
        ]
    }

    /// The handlers of requests from other services.
    private static func internals(_ parts: OperationDependencies) -> Handlers {
        let (pool, tokens) = (parts.pool, parts.tokens)
        let interests = InterestsOperation(source: parts.querySource, pool: pool)
        let rights = SharesRightsOperation(pool: pool, directory: parts.directory)
        return [
            .changesLog: { try await ChangesLogOperation(pool: pool, tokens: tokens.pinned()).answer($0) },
            .interestsSet: { try await interests.answer($0) },
            .sharesRights: { try await rights.answer($0) },
            .sharesAudience: { try await SharesAudienceOperation(pool: pool).answer($0) },
            .assetsUsed: { try await AssetUsesOperation(pool: pool).used($0) },
            .assetsHolders: { try await AssetHoldersOperation(pool: pool).answer($0) },
            .sharesLocate: { try await SharesLocateOperation(pool: pool).answer($0) },
        ]
    }

    /// The handlers of operators' requests.
    private static func administration(_ parts: OperationDependencies) -> Handlers {
        let (pool, directory, schema, ledger) = (parts.pool, parts.directory, parts.schema, parts.ledger)
        let containers = ContainersOperation(pool: pool, directory: directory, ledger: ledger)
        let schemaReads = SchemaReadOperation(pool: pool, schema: schema)
        let schemaChanges = SchemaChangeOperation(directory: directory, ledger: ledger)
        let roles = RolesOperation(pool: pool, schema: schema, ledger: ledger)
        return [
            .containersCreate: { try await containers.create($0) },
            .containersList: { _ in try await containers.list() },
            .containersDelete: { try await containers.delete($0) },
            .assetsReferences: { try await AssetUsesOperation(pool: pool).references($0) },
            .schemaExport: { try await schemaReads.export($0) },
            .schemaValidate: { try await schemaReads.validate($0) },
            .schemaStatus: { try await SchemaStatusOperation(pool: pool, schema: schema).answer($0) },
            .schemaImport: { try await schemaChanges.importText($0) },
            .schemaDeploy: { try await schemaChanges.deploy($0) },
            .schemaReset: { try await schemaChanges.reset($0) },
            .rolesList: { try await roles.list($0) },
            .rolesAssign: { try await roles.assign($0) },
            .sharesExplain: { try await SharesExplainOperation(pool: pool).answer($0) },
        ]
    }

    /// Answers a request that the lanes do not handle. During a database outage, retries until the request's deadline.
    ///
    /// - Returns: nil if the service is shutting down.
    func answer(_ request: OpenedRequest) async -> Answer? {
        do {
            return try await retry.run(deadline: request.context.deadline) { try await attempt(request) }
        } catch let error as ServerError {
            return Answer(error: error, context: request.context)
        } catch {
            return nil
        }
    }

    /// Answers a write in one attempt.
    ///
    /// - Throws: the ``ServerError`` that is to be the answer, or a `PostgresError` if the database is unavailable or a
    ///   lock is not granted in time.
    func attempt(_ write: DatabaseWrite) async throws -> Answer {
        switch write {
        case .zones(let request): try await attempt(request)
        case .records(let write): try await attempt(in: write.context) { try await missingZone.answer(write) }
        }
    }

    private func attempt(_ request: OpenedRequest) async throws -> Answer {
        try await attempt(in: request.context) { try await router.answer(request) }
    }

    private func attempt(in context: RequestContext, _ answer: () async throws -> Answer) async throws -> Answer {
        for _ in 1..<Self.maxAttempts {
            do {
                return try await answer()
            } catch let error as PostgresError where error.isOfDeletedContainer {
                // Another request has deleted the container or reset its environment. A new container or environment
                // might exist, so the next attempt looks it up.
                directory.forget(container: context.container)
            } catch let error as PostgresError where error.isMissingPartition {
                // The database's clock is past the end of the last partition.
                await partitions?.ensureNow()
            }
        }
        return try await answer()
    }
}

internal import CloudKitModel
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages

/// Which code answers which operation.
struct OperationTable: Sendable {
    private let store: RecordStore
    private let trouble: DatabaseTrouble
    /// Made when a row found none; nil: left to others.
    private let partitions: TimePartitions?
    private let router: OperationRouter

    /// How often a request is begun whose environment goes under it: others may reset it one after another.
    private static let maxAttempts = 10

    /// Each request has a store of its own, which keeps to one incarnation (``RecordStore/pinned()``). `records.modify` comes
    /// here where the zone is missing; the lanes answer the others.
    init(store: RecordStore, trouble: DatabaseTrouble, partitions: TimePartitions? = nil) {
        self.store = store
        self.trouble = trouble
        self.partitions = partitions
        func pinned(
            _ answer: @escaping @Sendable (RecordStore, OpenedRequest) async throws -> Answer
        ) -> OperationRouter.Handler {
            { try await answer(store.pinned(), $0) }
        }
        router = OperationRouter(
            .record,
            [
                .recordsLookup: pinned { try await RecordsLookupOperation(store: $0).answer($1) },
                .recordsQuery: pinned { try await RecordsQueryOperation(store: $0).answer($1) },
                .recordsAggregate: pinned { try await RecordsAggregateOperation(store: $0).answer($1) },
                .recordsExplain: pinned { try await RecordsExplainOperation(store: $0).answer($1) },
                .recordsChanges: pinned { try await ZoneChangesOperation(store: $0).recordChanges($1) },
                .changesZone: pinned { try await ZoneChangesOperation(store: $0).changes($1) },
                .changesDatabase: pinned { try await DatabaseChangesOperation(store: $0).answer($1) },
                .zonesChanges: pinned { try await DatabaseChangesOperation(store: $0).zoneChanges($1) },
                .zonesList: pinned { try await ZonesListOperation(store: $0).list($1) },
                .zonesLookup: pinned { try await ZonesListOperation(store: $0).lookup($1) },
                .serviceCapabilities: { _ in CapabilitiesOperation(store: store).answer() },
                .zonesModify: pinned { try await ZonesModifyOperation(store: $0).answer($1) },
                .zonesPurge: pinned { try await ZonesPurgeOperation(store: $0).answer($1) },
                .containersCreate: pinned { try await ContainersOperation(store: $0).create($1) },
                .containersList: pinned { store, _ in try await ContainersOperation(store: store).list() },
                .containersDelete: pinned { try await ContainersOperation(store: $0).delete($1) },
                .changesLog: pinned { try await ChangesLogOperation(store: $0).answer($1) },
                .interestsSet: pinned { try await InterestsOperation(store: $0).answer($1) },
                .assetsUsed: pinned { try await AssetUsesOperation(store: $0).used($1) },
                .assetsHolders: pinned { try await AssetHoldersOperation(store: $0).answer($1) },
                .assetsReferences: pinned { try await AssetUsesOperation(store: $0).references($1) },
                .schemaExport: pinned { try await SchemaReadOperation(store: $0).export($1) },
                .schemaValidate: pinned { try await SchemaReadOperation(store: $0).validate($1) },
                .schemaStatus: pinned { try await SchemaStatusOperation(store: $0).answer($1) },
                .schemaImport: pinned { try await SchemaChangeOperation(store: $0).importText($1) },
                .schemaDeploy: pinned { try await SchemaChangeOperation(store: $0).deploy($1) },
                .schemaReset: pinned { try await SchemaChangeOperation(store: $0).reset($1) },
                .rolesList: pinned { try await RolesOperation(store: $0).list($1) },
                .rolesAssign: pinned { try await RolesOperation(store: $0).assign($1) },
                .recordsModify: pinned { try await MissingZoneOperation(store: $0).answer($1) },
            ])
    }

    /// Answers a request that is no business of the lanes; nil when the service is ending. Trouble with the database is
    /// outlasted until the deadline.
    func answer(_ request: OpenedRequest) async -> Answer? {
        do {
            return try await trouble.outlast(deadline: request.context.deadline) { try await attempt(request) }
        } catch let error as ServerError {
            return Answer(error: error, context: request.context)
        } catch {
            return nil
        }
    }

    /// Answers a request unless the database is in trouble or a lock is held too long.
    ///
    /// - Throws: the ``ServerError`` to be answered, a `PostgresError`.
    func attempt(_ request: OpenedRequest) async throws -> Answer {
        for _ in 1..<Self.maxAttempts {
            do {
                return try await router.answer(request)
            } catch let error as PostgresError where error.isOfDeletedContainer {
                // Deleted or reset by another request, perhaps made again since: the directory finds out.
                store.directory.forget(container: request.context.container)
            } catch let error as PostgresError where error.isMissingPartition {
                // The clock ran ahead of the partitions made.
                await partitions?.ensureNow()
            }
        }
        return try await router.answer(request)
    }
}

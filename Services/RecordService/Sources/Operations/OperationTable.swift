internal import CloudKitModel
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages

/// Which code answers which operation.
struct OperationTable: Sendable {
    let store: RecordStore
    let trouble: DatabaseTrouble
    /// Made when a row found none; nil: left to others.
    var partitions: TimePartitions?

    /// How often a request is begun whose environment goes under it: others may reset it one after another.
    private static let maxAttempts = 10

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
                return try await perform(request)
            } catch let error as PostgresError where error.isOfDeletedContainer {
                // Deleted or reset by another request, perhaps made again since: the directory finds out.
                store.directory.forget(container: request.context.container)
            } catch let error as PostgresError where error.isMissingPartition {
                // The clock ran ahead of the partitions made.
                await partitions?.ensureNow()
            }
        }
        return try await perform(request)
    }

    private func perform(_ request: OpenedRequest) async throws -> Answer {
        let store = store.pinned()
        return switch request.operation {
        case .recordsLookup: try await RecordsLookupOperation(store: store).answer(request)
        case .recordsQuery: try await RecordsQueryOperation(store: store).answer(request)
        case .recordsAggregate: try await RecordsAggregateOperation(store: store).answer(request)
        case .recordsExplain: try await RecordsExplainOperation(store: store).answer(request)
        case .recordsChanges: try await ZoneChangesOperation(store: store).recordChanges(request)
        case .changesZone: try await ZoneChangesOperation(store: store).changes(request)
        case .changesDatabase: try await DatabaseChangesOperation(store: store).answer(request)
        case .zonesChanges: try await DatabaseChangesOperation(store: store).zoneChanges(request)
        case .zonesList: try await ZonesListOperation(store: store).list(request)
        case .zonesLookup: try await ZonesListOperation(store: store).lookup(request)
        case .serviceCapabilities: CapabilitiesOperation(store: store).answer()
        case .zonesModify: try await ZonesModifyOperation(store: store).answer(request)
        case .zonesPurge: try await ZonesPurgeOperation(store: store).answer(request)
        case .containersCreate: try await ContainersOperation(store: store).create(request)
        case .containersList: try await ContainersOperation(store: store).list()
        case .containersDelete: try await ContainersOperation(store: store).delete(request)
        case .changesLog: try await ChangesLogOperation(store: store).answer(request)
        case .interestsSet: try await InterestsOperation(store: store).answer(request)
        case .assetsUsed: try await AssetUsesOperation(store: store).used(request)
        case .assetsHolders: try await AssetHoldersOperation(store: store).answer(request)
        case .assetsReferences: try await AssetUsesOperation(store: store).references(request)
        case .schemaExport: try await SchemaReadOperation(store: store).export(request)
        case .schemaValidate: try await SchemaReadOperation(store: store).validate(request)
        case .schemaStatus: try await SchemaStatusOperation(store: store).answer(request)
        case .schemaImport: try await SchemaChangeOperation(store: store).importText(request)
        case .schemaDeploy: try await SchemaChangeOperation(store: store).deploy(request)
        case .schemaReset: try await SchemaChangeOperation(store: store).reset(request)
        case .rolesList: try await RolesOperation(store: store).list(request)
        case .rolesAssign: try await RolesOperation(store: store).assign(request)
        // The lanes have those whose zone is there.
        case .recordsModify: try await MissingZoneOperation(store: store).answer(request)
        // Other services' queues take the rest.
        default: throw ServerError.operationUnknown(request.operation.rawValue)
        }
    }
}

internal import CloudKitModel
internal import OperatorMessages
internal import PostgresClient
internal import RecordStorage
internal import RequestServing

/// `containers.create`, `containers.list` and `containers.delete`, for operators.
struct ContainersOperation: Sendable {
    let pool: PostgresPool
    let directory: ZoneDirectory
    let ledger: RequestLedger

    /// Creates a container with its two environments. An existing container is left unchanged.
    func create(_ request: OpenedRequest) async throws -> Answer {
        let name = try ContainerIdentifier.validated(ContainersCreateRequest(request).container)
        return try await ledger.once(request, environment: 0) { connection in
            let isNew = try await ContainerStore.create(name, on: connection)
            return Answer(ContainerDescription(container: name, created: isNew))
        }
    }

    /// Lists all containers.
    func list() async throws -> Answer {
        let names = try await ContainerStore(pool: pool).list()
        return Answer(ContainersListRequest.Answer(containers: names.map { ContainerDescription(container: $0) }))
    }

    /// Deletes a container and all its data.
    func delete(_ request: OpenedRequest) async throws -> Answer {
        let name = try ContainerIdentifier.validated(ContainersDeleteRequest(request).container)
        let answer = try await ledger.once(request, environment: 0) { connection in
            guard try await ContainerStore.delete(name, on: connection) else { throw ServerError.badContainer(name) }
            return Answer(ContainersDeleteRequest.Answer(container: name))
        }
        directory.forget(container: name)
        return answer
    }
}

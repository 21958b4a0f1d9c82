internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `containers.create`, `containers.list` and `containers.delete`, for operators.
struct ContainersOperation: Sendable {
    let pool: PostgresPool
    let directory: ZoneDirectory
    let ledger: RequestLedger

    private static let environments = EnvironmentName.allCases.map(\.rawValue)

    /// Creates a container with its two environments. An existing container is left unchanged.
    func create(_ request: OpenedRequest) async throws -> Answer {
        let name = try containerName(in: request)
        return try await ledger.once(request, environment: 0) { connection in
            let isNew = try await ContainerStore.create(name, on: connection)
            return Answer { writer in
                write(name, to: &writer)
                writer.member("created", isNew)
            }
        }
    }

    /// Lists all containers.
    func list() async throws -> Answer {
        let names = try await ContainerStore(pool: pool).list()
        return Answer { writer in
            writer.key("containers")
            writer.array(names) { writer, name in
                writer.object { write(name, to: &$0) }
            }
        }
    }

    /// Deletes a container with all its data.
    func delete(_ request: OpenedRequest) async throws -> Answer {
        let name = try containerName(in: request)
        let answer = try await ledger.once(request, environment: 0) { connection in
            guard try await ContainerStore.delete(name, on: connection) else { throw ServerError.badContainer(name) }
            return Answer { writer in
                writer.member("container", name)
                writer.member("deleted", true)
            }
        }
        directory.forget(container: name)
        return answer
    }

    private func write(_ name: String, to writer: inout WireWriter) {
        writer.member("container", name)
        writer.member("environments", Self.environments)
    }

    private func containerName(in request: OpenedRequest) throws(ServerError) -> String {
        try JSONValue(parsing: request.delivery.body).containerName()
    }
}

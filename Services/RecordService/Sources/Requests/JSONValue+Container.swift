internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage

extension JSONValue {
    /// Returns the environments of the container that an operator's request names, read from the database.
    ///
    /// - Throws: `BAD_REQUEST` when the request names no container, `NOT_FOUND` when the container does not exist, or
    ///   `PostgresError`.
    func environments(on connection: PostgresConnection) async throws -> ContainerEnvironments {
        guard let container = self["container"]?.string else { throw ServerError.missingKey("container") }
        return try await ContainerEnvironments.find(container, on: connection)
    }

    /// Returns the environment that an operator's request names.
    ///
    /// - Throws: the errors of ``environments(on:)``, and `BAD_REQUEST` when the request names no valid environment.
    func environment(on connection: PostgresConnection) async throws -> EnvironmentRow {
        let environments = try await environments(on: connection)
        guard let text = self["environment"]?.string else { throw ServerError.missingKey("environment") }
        guard let name = EnvironmentName(rawValue: text) else {
            throw ServerError(
                .environmentInvalid, "Unknown environment '\(text)'; use 'development' or 'production'",
                field: "environment")
        }
        return environments[name]
    }

    /// Returns the container that an operator's request names.
    ///
    /// - Throws: `BAD_REQUEST` when the request names no container, or when the name is invalid.
    func containerName() throws(ServerError) -> String {
        guard let name = self["container"]?.string else { throw .missingKey("container") }
        guard !name.isEmpty, name.utf8.count <= 255, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ServerError(
                .containerInvalid, "Invalid container identifier; use 1 to 255 visible ASCII characters",
                field: "container")
        }
        return name
    }
}

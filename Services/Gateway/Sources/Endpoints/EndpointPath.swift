internal import CloudKitModel

/// The path of a request to an endpoint, `/{module}/1/{container}/{environment}/{database}/{entity}/{action}`
/// (web-services 1.1), parsed and checked.
struct EndpointPath: Sendable, Hashable {
    /// The container's identifier, in visible ASCII.
    var container: String
    /// `development` or `production`.
    var environment: EnvironmentName
    /// The database; `public` for tokens, which belong to no database.
    var database: DatabaseScope
    /// The endpoint.
    var endpoint: Endpoint
}

extension EndpointPath {
    private static let databaseModule = "database"
    private static let deviceModule = "device"

    /// Returns whether a path, split at its slashes, is meant for web services, even if it is invalid.
    static func isMeant(by parts: [Substring]) -> Bool {
        parts.first.map { $0 == databaseModule || $0 == deviceModule } ?? false
    }

    /// Parses a path.
    ///
    /// The token endpoints are under `/device/1/{container}/{environment}`. According to Apple's documents, they are
    /// also under `/database`, with or without the name of a database, which is ignored.
    ///
    /// - Parameter parts: the path split at its slashes, with its escapes. Only the container is allowed to contain
    ///   escapes.
    /// - Throws: `endpoint_unknown` with the text of Apple's service; `container_invalid`, `environment_invalid`,
    ///   `database_invalid`, or `endpoint_not_in_database`.
    init(_ parts: [Substring]) throws(ServerError) {
        guard Self.isMeant(by: parts), parts.count >= 4, parts[1] == "1" else { throw .endpointUnknown() }
        var rest = parts[4...]
        container = try Self.container(parts[2])
        // One client library sends the environment in upper case.
        guard let environment = EnvironmentName(rawValue: parts[3].lowercased()) else {
            throw ServerError(
                .environmentInvalid, "the environment in the path must be 'development' or 'production'",
                field: "environment")
        }
        self.environment = environment
        let named = rest.first.flatMap { DatabaseScope(wireName: String($0)) }
        if named != nil { rest = rest.dropFirst() }
        guard let endpoint = Endpoint(rawValue: rest.joined(separator: "/")) else {
            // The path might lack only the database.
            let isMisplaced = named == nil && Endpoint(rawValue: rest.dropFirst().joined(separator: "/")) != nil
            throw isMisplaced ? .databaseInPathInvalid() : .endpointUnknown()
        }
        self.endpoint = endpoint
        let isOfTokens = endpoint == .tokensCreate || endpoint == .tokensRegister
        guard isOfTokens || parts[0] == Self.databaseModule else { throw .endpointUnknown() }
        guard let database = isOfTokens ? .public : named else { throw .databaseInPathInvalid() }
        guard endpoint.databases.contains(database) else {
            throw .notApplicable(in: database)
        }
        self.database = database
    }

    private static func container(_ part: Substring) throws(ServerError) -> String {
        let name = PercentEncoding.decoded(part)
        guard !name.isEmpty, name.utf8.count <= 255, name.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ServerError(
                .containerInvalid, "a container identifier must consist of 1 to 255 visible ASCII characters",
                field: "container")
        }
        return name
    }
}

extension ServerError {
    /// Returns the error for a path that belongs to no endpoint. The text is the same as in Apple's service
    /// (web-services 1.6).
    static func endpointUnknown() -> ServerError {
        ServerError(.endpointUnknown, "could not find handler for endpoint", field: "url")
    }

    fileprivate static func databaseInPathInvalid() -> ServerError {
        ServerError(
            .databaseInvalid, "the database in the path must be 'public', 'private' or 'shared'", field: "database")
    }

    /// Returns the error for a database in which the endpoint is not available. The text is the same as in Apple's
    /// service (web-services 1.6).
    static func notApplicable(in database: DatabaseScope) -> ServerError {
        ServerError(
            .endpointNotInDatabase, "endpoint not applicable in the database type '\(database.wireName)db'",
            field: "database")
    }

    /// Returns the error for a method that the endpoint does not accept.
    static func methodNotAllowed(allow: String) -> ServerError {
        ServerError(.methodNotAllowed, "The endpoint accepts only \(allow)", field: "method")
    }
}

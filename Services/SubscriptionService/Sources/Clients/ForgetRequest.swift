internal import CloudKitModel
internal import CloudKitWire
internal import SubscriptionStorage

/// The body of `clients.forget`: `{container?, environment?, users?, sessions?, removesSubscriptions?}`.
struct ForgetRequest: Sendable, Equatable {
    /// The maximum number of users in a request.
    static let maxUsers = 100
    /// The maximum number of sessions in a request.
    static let maxSessions = 1000

    /// The users and sessions whose clients are removed.
    let selection: DepartureTable.Selection
    /// Whether the users' subscriptions and badges are removed too.
    let removesSubscriptions: Bool

    /// Reads a body.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the key.
    init(_ body: JSONValue) throws(ServerError) {
        selection = DepartureTable.Selection(
            container: try body.text("container"), environment: try body.text("environment"),
            users: try Self.names("users", of: body, limit: Self.maxUsers),
            sessions: try Self.names("sessions", of: body, limit: Self.maxSessions))
        removesSubscriptions = try body.flag("removesSubscriptions")
        guard !selection.users.isEmpty || !selection.sessions.isEmpty else { throw .missingKey("users") }
    }

    private static func names(_ key: String, of body: JSONValue, limit: Int) throws(ServerError) -> [String] {
        guard let value = body[key], !value.isNull else { return [] }
        guard let elements = value.array else { throw .wrongKind(key, expected: "an array") }
        guard elements.count <= limit else { throw .tooMany(key, limit: limit, actual: elements.count) }
        return try elements.map { element throws(ServerError) in
            guard let name = element.string, (1...255).contains(name.utf8.count), !name.utf8.contains(0) else {
                throw .wrongKind(key, expected: "an array of strings of 1 to 255 bytes")
            }
            return name
        }
    }
}

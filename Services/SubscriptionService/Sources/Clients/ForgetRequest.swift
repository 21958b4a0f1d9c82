internal import CloudKitModel
internal import CloudKitWire

/// The body of `clients.forget`: `{container?, environment?, users?, sessions?, removesSubscriptions?}`.
struct ForgetRequest: Sendable, Equatable {
    /// The most users of a request.
    static let maxUsers = 100
    /// The most sessions of a request.
    static let maxSessions = 1000

    /// Where the users' clients are forgotten; nil: in all containers.
    let container: String?
    /// And in which environment; nil: in both.
    let environment: String?
    /// Whose clients are forgotten.
    let users: [String]
    /// Sign-ins that have ended: the clients that they registered are forgotten wherever they are, and they register no
    /// more.
    let sessions: [String]
    /// Whether the users' subscriptions and badges go too.
    let removesSubscriptions: Bool

    /// Reads a body.
    ///
    /// - Throws: `BAD_REQUEST` naming the key.
    init(_ body: JSONValue) throws(ServerError) {
        container = try body.text("container")
        environment = try body.text("environment")
        users = try Self.names("users", of: body, limit: Self.maxUsers)
        sessions = try Self.names("sessions", of: body, limit: Self.maxSessions)
        let flag = body["removesSubscriptions"] ?? .null
        guard flag.isNull || flag.bool != nil else {
            throw .wrongKind("removesSubscriptions", expected: "true or false")
        }
        removesSubscriptions = flag.bool ?? false
        guard !users.isEmpty || !sessions.isEmpty else { throw .missingKey("users") }
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

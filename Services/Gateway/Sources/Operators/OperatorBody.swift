internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import GatewayStorage
internal import RequestServing

/// The body of an operator's request, read key by key. A key whose value is null counts as absent.
struct OperatorBody: Sendable {
    /// The maximum length of a name, in bytes.
    static let maxNameBytes = 255
    /// The maximum number of items of a page.
    static let maxPage = 1000
    private static let usualPage = 200

    private let json: JSONValue

    /// Reads the body of a request.
    ///
    /// - Throws: `BAD_REQUEST`.
    init(_ request: OpenedRequest) throws(ServerError) { json = try JSONValue(parsing: request.delivery.body) }

    /// Returns a text; nil if the key is absent.
    ///
    /// - Throws: `BAD_REQUEST` when the value is not a string.
    func text(_ key: String) throws(ServerError) -> String? { try json.text(key) }

    /// Returns a required text.
    ///
    /// - Throws: `BAD_REQUEST`.
    func required(_ key: String) throws(ServerError) -> String {
        guard let text = try text(key) else { throw .missingKey(key) }
        return text
    }

    /// Returns a name that the operator chose; nil if the key is absent.
    ///
    /// - Throws: `BAD_REQUEST` when it is empty, too long, or has control characters.
    func name(_ key: String) throws(ServerError) -> String? {
        guard let name = try text(key) else { return nil }
        guard (1...Self.maxNameBytes).contains(name.utf8.count),
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            throw ServerError(
                .invalidValue, "The key '\(key)' must have 1 to \(Self.maxNameBytes) bytes and no control characters",
                field: key, limit: Self.maxNameBytes, actual: name.utf8.count)
        }
        return name
    }

    /// Returns a Boolean; `false` if the key is absent.
    ///
    /// - Throws: `BAD_REQUEST` when the value is not a Boolean.
    func flag(_ key: String) throws(ServerError) -> Bool { try json.flag(key) }

    /// Returns an array of texts; empty if the key is absent.
    ///
    /// - Throws: `BAD_REQUEST` when the value is not an array of strings.
    func texts(_ key: String) throws(ServerError) -> [String] {
        guard let value = json[key], !value.isNull else { return [] }
        guard let elements = value.array else { throw .wrongKind(key, expected: "a list of strings") }
        let texts = elements.compactMap(\.string)
        guard texts.count == elements.count else { throw .wrongKind(key, expected: "a list of strings") }
        return texts
    }

    /// Returns the number of items of a page, from 1 to ``maxPage``.
    ///
    /// - Throws: `BAD_REQUEST`.
    func limit() throws(ServerError) -> Int {
        min(max(1, try json.whole("limit") ?? Self.usualPage), Self.maxPage)
    }

    /// Returns the position after which a page of tokens or keys begins; the beginning if the key `after` is absent.
    ///
    /// - Throws: `BAD_REQUEST` when the value is not the `after` of an answer.
    func position() throws(ServerError) -> ListPosition {
        guard let text = try text("after") else { return .start }
        guard let position = ListPosition(text) else { throw .wrongKind("after", expected: "an answer's 'after'") }
        return position
    }

    /// Returns the required address `email`.
    ///
    /// - Throws: `BAD_REQUEST`.
    func email() throws(ServerError) -> EmailAddress {
        guard let address = EmailAddress(try required("email")) else {
            throw ServerError(
                .emailInvalid,
                "An e-mail address must have the form name@domain and at most \(EmailAddress.maxBytes) bytes",
                field: "email")
        }
        return address
    }

    /// Returns the container's identifier; nil if the key is absent.
    ///
    /// - Throws: `BAD_REQUEST` when it is invalid.
    func container() throws(ServerError) -> String? {
        guard let container = try text("container") else { return nil }
        guard (1...255).contains(container.utf8.count), container.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ServerError(
                .containerInvalid, "a container identifier must have 1 to 255 visible ASCII characters",
                field: "container")
        }
        return container
    }

    /// Returns the environment; nil if the key is absent.
    ///
    /// - Throws: `BAD_REQUEST` when it is invalid.
    func environment() throws(ServerError) -> EnvironmentName? {
        guard let name = try text("environment") else { return nil }
        guard let environment = EnvironmentName(rawValue: name) else {
            throw ServerError(
                .environmentInvalid, "the environment must be 'development' or 'production'", field: "environment")
        }
        return environment
    }

    /// Returns the required container and environment.
    ///
    /// - Throws: `BAD_REQUEST`.
    func place() throws(ServerError) -> ContainerPlace {
        guard let container = try container() else { throw .missingKey("container") }
        guard let environment = try environment() else { throw .missingKey("environment") }
        return ContainerPlace(container: container, environment: environment)
    }
}

extension WireWriter {
    /// Writes `container` and `environment`.
    mutating func members(of place: ContainerPlace) {
        member("container", place.container)
        member("environment", place.environment.rawValue)
    }
}

internal import CloudKitModel
internal import GatewayStorage

/// Checks the values in operators' requests. Each error names the invalid member.
enum OperatorValues {
    /// The maximum length of a name, in bytes.
    static let maxNameBytes = 255
    private static let maxPage = 1000
    private static let usualPage = 200

    /// Returns a name that the operator chose.
    ///
    /// - Throws: `BAD_REQUEST` if the name is empty, is too long, or contains control characters.
    static func name(_ name: String, _ key: String) throws(ServerError) -> String {
        guard (1...maxNameBytes).contains(name.utf8.count),
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else {
            throw ServerError(
                .invalidValue,
                "The value of '\(key)' must be 1 to \(maxNameBytes) bytes long and contain no control characters",
                field: key, limit: maxNameBytes, actual: name.utf8.count)
        }
        return name
    }

    /// Returns the container's identifier.
    ///
    /// - Throws: `BAD_REQUEST` if the identifier is invalid.
    static func container(_ container: String) throws(ServerError) -> String {
        guard (1...255).contains(container.utf8.count), container.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ServerError(
                .containerInvalid, "Invalid container identifier; use 1 to 255 visible ASCII characters",
                field: "container")
        }
        return container
    }

    /// Returns the environment.
    ///
    /// - Throws: `BAD_REQUEST` if the name is invalid.
    static func environment(_ name: String) throws(ServerError) -> EnvironmentName {
        guard let environment = EnvironmentName(rawValue: name) else {
            throw ServerError(
                .environmentInvalid, "Unknown environment; use 'development' or 'production'", field: "environment")
        }
        return environment
    }

    /// Returns the number of items in a page: `limit`, clamped to the range from 1 to 1,000; 200 if `limit` is nil.
    static func pageLength(_ limit: Int?) -> Int { min(max(1, limit ?? usualPage), maxPage) }

    /// Returns the position after which a page of tokens or keys begins: the start of the list if `after` is nil.
    ///
    /// - Throws: `BAD_REQUEST` if the text is not the `after` from an answer.
    static func position(_ after: String?) throws(ServerError) -> ListPosition {
        guard let after else { return .start }
        guard let position = ListPosition(after) else { throw .wrongKind("after", expected: "an answer's 'after'") }
        return position
    }
}

extension EmailAddress {
    /// Parses an address that an operator wrote.
    ///
    /// - Throws: `BAD_REQUEST`.
    init(validating written: String) throws(ServerError) {
        guard let address = EmailAddress(written) else {
            throw ServerError(
                .emailInvalid,
                "An email address must have the form name@domain and be at most \(EmailAddress.maxBytes) bytes long",
                field: "email")
        }
        self = address
    }
}

extension ContainerPlace {
    /// Creates a place from a request's `container` and `environment` members.
    ///
    /// - Throws: `BAD_REQUEST` if one of them is invalid.
    init(validating container: String, _ environment: String) throws(ServerError) {
        self.init(
            container: try OperatorValues.container(container),
            environment: try OperatorValues.environment(environment))
    }
}

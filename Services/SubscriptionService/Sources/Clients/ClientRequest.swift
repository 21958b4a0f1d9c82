internal import CloudKitModel
internal import CloudKitWire
internal import SignedTokens

/// The body of `tokens.create` and `tokens.register` (web-services 8.1).
struct ClientRequest: Sendable, Equatable {
    /// The maximum size of a `clientId`, in bytes. The `zonda-client` header, with which the id is compared, has the
    /// same limit.
    private static let maxClientIDBytes = 255

    /// The push environment of the token.
    let apnsEnvironment: ClientToken.Environment
    /// The name that the client chose for itself; nil if it sent none.
    let clientID: String?

    /// Reads a body.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the key.
    init(_ body: JSONValue) throws(ServerError) {
        let environment = body["apnsEnvironment"] ?? .null
        guard !environment.isNull else { throw .missingKey("apnsEnvironment") }
        guard let name = environment.string else { throw .wrongKind("apnsEnvironment", expected: "a string") }
        guard let apnsEnvironment = ClientToken.Environment(rawValue: name) else {
            throw ServerError(
                .apnsEnvironmentInvalid, "Unknown apnsEnvironment; use 'development' or 'production'",
                field: "apnsEnvironment")
        }
        self.apnsEnvironment = apnsEnvironment
        clientID = try Self.clientID(body["clientId"] ?? .null)
    }

    private static func clientID(_ json: JSONValue) throws(ServerError) -> String? {
        guard !json.isNull else { return nil }
        guard let id = json.string else { throw .wrongKind("clientId", expected: "a string") }
        guard (1...maxClientIDBytes).contains(id.utf8.count), id.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ServerError(
                .clientIDInvalid,
                "A clientId must be 1 to \(maxClientIDBytes) bytes long and contain no control characters",
                field: "clientId", limit: maxClientIDBytes, actual: id.utf8.count)
        }
        return id
    }
}

extension ClientToken {
    /// Reads the token from a request's body.
    ///
    /// - Throws: `BAD_REQUEST` if the token is missing or this deployment did not sign it. The error does not repeat
    ///   the token, because it might be valid in another deployment.
    init(in body: JSONValue, with keys: SigningKeys) throws(ServerError) {
        let value = body["apnsToken"] ?? .null
        guard !value.isNull else { throw .missingKey("apnsToken") }
        guard let text = value.string else { throw .wrongKind("apnsToken", expected: "a string") }
        guard let token = ClientToken(text, with: keys) else {
            throw ServerError(
                .apnsTokenInvalid, "This server did not issue the apnsToken", field: "apnsToken")
        }
        self = token
    }
}

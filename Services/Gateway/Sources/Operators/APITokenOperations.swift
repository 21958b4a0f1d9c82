internal import CloudKitModel
internal import CloudKitWire
internal import GatewayStorage
internal import RequestServing
internal import SignedTokens

/// `apiTokens.create`, `apiTokens.list` and `apiTokens.revoke`, for operators.
struct APITokenOperations: Sendable {
    /// The maximum number of origins of a token.
    static let maxOrigins = 50

    let accounts: AccountStore
    let ledger: RequestLedger
    let containers: ContainerCheck

    /// `{container, environment, name, origins?, callbackURL?}`: creates an API token for a container's environment.
    /// The answer to a repeat has the same token. It is stored, since it is not a secret.
    ///
    /// - Throws: `BAD_REQUEST`, `NOT_FOUND` when the container does not exist, `PostgresError`.
    func create(_ request: OpenedRequest) async throws -> Answer {
        let body = try OperatorBody(request)
        let place = try body.place()
        guard let name = try body.name("name") else { throw ServerError.missingKey("name") }
        let given = try body.texts("origins")
        guard given.count <= Self.maxOrigins else {
            throw ServerError.tooMany("origins", limit: Self.maxOrigins, actual: given.count)
        }
        let origins = try given.map { text throws(ServerError) in try WebOrigin(validating: text).text }
        let callback = try body.text("callbackURL").map { text throws(ServerError) in
            try SignInCallback(validating: text).text
        }
        try await containers.check(place.container, for: request)
        return try await ledger.once(request, environment: 0) { connection in
            let token = APIToken(
                token: Hexadecimal.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) }),
                container: place.container, environment: place.environment, name: name, origins: origins,
                callbackURL: callback)
            let createdAt = try await AccountStore.add(token, on: connection)
            return Answer { $0.members(of: APITokenListing(token: token, createdAt: createdAt, revokedAt: nil)) }
        }
    }

    /// `{container?, environment?, after?, limit?}`: lists the API tokens, including revoked ones. `after` is taken
    /// from the answer with the preceding page.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let body = try OperatorBody(request)
        let limit = try body.limit()
        let tokens = try await accounts.apiTokens(
            after: try body.position(), container: try body.container(), environment: try body.environment(),
            limit: limit + 1)
        return Answer { writer in
            writer.key("apiTokens")
            writer.array(Array(tokens.prefix(limit))) { writer, token in writer.object { $0.members(of: token) } }
            if tokens.count > limit { writer.member("after", tokens[limit - 1].position.text) }
        }
    }

    /// `{token}`: revokes an API token. A token that does not exist, or was revoked before, is not an error: `revoked`
    /// is then false.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func revoke(_ request: OpenedRequest) async throws -> Answer {
        let token = try OperatorBody(request).required("token").lowercased()
        return try await ledger.once(request, environment: 0) { connection in
            let isRevoked = try await AccountStore.revokeAPIToken(token, on: connection)
            return Answer { writer in
                writer.member("token", token)
                writer.member("revoked", isRevoked)
            }
        }
    }
}

extension WireWriter {
    /// Writes the members of a token, with its times in milliseconds since 1970.
    fileprivate mutating func members(of listing: APITokenListing) {
        let token = listing.token
        member("token", token.token)
        members(of: ContainerPlace(container: token.container, environment: token.environment))
        member("name", token.name)
        member("origins", token.origins)
        member("callbackURL", token.callbackURL)
        member("created", listing.createdAt)
        member("revokedAt", listing.revokedAt)
    }
}

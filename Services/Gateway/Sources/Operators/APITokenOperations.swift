internal import CloudKitModel
internal import GatewayStorage
internal import OperatorMessages
internal import RequestServing
internal import SignedTokens

/// `apiTokens.create`, `apiTokens.list` and `apiTokens.revoke`, for operators.
struct APITokenOperations: Sendable {
    /// The maximum number of origins per token.
    static let maxOrigins = 50

    let accounts: AccountStore
    let ledger: RequestLedger
    let containers: ContainerCheck

    /// Creates an API token for a container's environment. The answer to a repeated request contains the same token,
    /// which is stored because it is not a secret.
    ///
    /// - Throws: `BAD_REQUEST`, `NOT_FOUND` if the container does not exist, or `PostgresError`.
    func create(_ request: OpenedRequest) async throws -> Answer {
        let body = try APITokenCreateRequest(request)
        let place = try ContainerPlace(validating: body.container, body.environment)
        let name = try OperatorValues.name(body.name, "name")
        let given = body.origins ?? []
        guard given.count <= Self.maxOrigins else {
            throw ServerError.tooMany("origins", limit: Self.maxOrigins, actual: given.count)
        }
        let origins = try given.map { try WebOrigin(validating: $0).text }
        let callback = try body.callbackURL.map { try SignInCallback(validating: $0).text }
        try await containers.check(place.container, for: request)
        return try await ledger.once(request, environment: 0) { connection in
            let token = APIToken(
                token: Hexadecimal.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) }),
                container: place.container, environment: place.environment, name: name, origins: origins,
                callbackURL: callback)
            let createdAt = try await AccountStore.add(token, on: connection)
            return Answer(APITokenStatus(APITokenListing(token: token, createdAt: createdAt, revokedAt: nil)))
        }
    }

    /// Lists the API tokens, including revoked ones. To get the next page, a request passes the `after` value from the
    /// preceding page's answer.
    ///
    /// - Throws: `BAD_REQUEST` or `PostgresError`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let body = try APITokenListRequest(request)
        let limit = OperatorValues.pageLength(body.limit)
        let tokens = try await accounts.apiTokens(
            after: try OperatorValues.position(body.after),
            container: try body.container.map { try OperatorValues.container($0) },
            environment: try body.environment.map { try OperatorValues.environment($0) }, limit: limit + 1)
        return Answer(
            APITokenListRequest.Answer(
                apiTokens: tokens.prefix(limit).map { APITokenStatus($0) },
                after: tokens.count > limit ? tokens[limit - 1].position.text : nil))
    }

    /// Revokes an API token. It is not an error if the token does not exist or has already been revoked; `revoked` is
    /// then false.
    ///
    /// - Throws: `BAD_REQUEST` or `PostgresError`.
    func revoke(_ request: OpenedRequest) async throws -> Answer {
        let token = try APITokenRevokeRequest(request).token.lowercased()
        return try await ledger.once(request, environment: 0) { connection in
            let isRevoked = try await AccountStore.revokeAPIToken(token, on: connection)
            return Answer(APITokenRevokeRequest.Answer(token: token, revoked: isRevoked))
        }
    }
}

extension APITokenStatus {
    fileprivate init(_ listing: APITokenListing) {
        let token = listing.token
        self.init(
            token: token.token, container: token.container, environment: token.environment.rawValue, name: token.name,
            origins: token.origins, callbackURL: token.callbackURL, created: listing.createdAt,
            revokedAt: listing.revokedAt)
    }
}

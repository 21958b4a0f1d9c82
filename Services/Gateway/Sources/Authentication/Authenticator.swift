internal import CloudKitModel
internal import CoreMetrics
internal import Crypto
internal import Foundation
internal import GatewayStorage
internal import HTTPTypes
internal import Logging
internal import RequestServing
internal import ServiceMessages

/// Identifies the sender of a request and decides whether the sender is allowed to use the endpoint (web-services 4).
///
/// Tokens, sessions and keys are cached for ``cacheTime``. If one of them is revoked, or a user signs out everywhere,
/// every instance notices within that time.
struct Authenticator: Sendable {
    /// How long rows from the database are cached.
    static let cacheTime = Duration.seconds(4)

    private struct KeyID: Hashable {
        var id: String
        var container: String
        var environment: EnvironmentName
    }

    private struct UsableKey: Sendable {
        var key: ServerKey
        var publicKey: P256.Signing.PublicKey?
    }

    let accounts: AccountStore
    let signIn: SignInLink
    private let logger: Logger
    private let apiTokens = TTLCache<String, APIToken>(timeToLive: Self.cacheTime)
    private let sessions = TTLCache<UUID, Session>(timeToLive: Self.cacheTime)
    private let serverKeys = TTLCache<KeyID, UsableKey>(timeToLive: Self.cacheTime)
    private let guesses = GuessLimit()
    /// The sessions for which the use of a superseded token has recently been logged.
    private let loggedSessions = TTLCache<UUID, Bool>(timeToLive: .milliseconds(Session.notePeriod), capacity: 1000)
    private let metrics: GatewayMetrics?

    /// Creates an authenticator that uses the clock of `accounts`. The reason for refusing a signature is logged, but
    /// not sent to the client.
    init(
        accounts: AccountStore, signIn: SignInLink, metrics: GatewayMetrics? = nil,
        logger: Logger = Logger(label: "zonda.gateway")
    ) {
        self.metrics = metrics
        self.accounts = accounts
        self.signIn = signIn
        self.logger = logger
    }

    /// Identifies the caller.
    ///
    /// Takes one round trip for each value that is not cached: the API token and the session, or the key. Every few
    /// minutes, recording the use of a session takes another round trip.
    ///
    /// - Throws: ``Refusal`` if the credentials are missing, wrong or insufficient, or `PostgresError`.
    func authenticate(_ request: GatewayRequest, at path: EndpointPath) async throws -> Caller {
        do {
            switch try Credentials(request) {
            case .none:
                throw Self.credentialsMissing
            case .signature(let headers):
                return try await serverKey(headers, request, path)
            case .tokens(let api, let webAuth):
                let token = try await apiToken(api, request, path)
                return try await user(webAuth, token, request, path)
            }
        } catch let error as ServerError {
            throw Refusal(error)
        }
    }

    /// Checks the credentials in a request's head before its body is read. The head must contain an API token or the id
    /// of a key that belongs to the addressed environment. A token must also be allowed for the request's origin.
    /// ``authenticate(_:at:)`` completes the check after the body has been read, because a signature covers the body.
    ///
    /// - Throws: ``Refusal`` or `PostgresError`.
    func admit(_ request: GatewayRequest, at path: EndpointPath) async throws {
        do {
            switch try Credentials(request) {
            case .none: throw Self.credentialsMissing
            case .signature(let headers):
                try await verifying(headers, request, path) {
                    _ = try await self.key(headers, path, from: request.address)
                }
            case .tokens(let api, _): _ = try await apiToken(api, request, path)
            }
        } catch let error as ServerError {
            throw Refusal(error)
        }
    }

    private static var credentialsMissing: ServerError {
        ServerError(
            .credentialsMissing, "The request has neither an API token nor a server-to-server signature",
            field: "ckAPIToken")
    }

    /// Returns the API token with the given text; nil if there is none.
    ///
    /// - Throws: `THROTTLED` or `PostgresError`.
    private func apiToken(_ text: String, from address: String) async throws -> APIToken? {
        // Text that does not have the form of a token is not cached, because otherwise any client could fill the cache
        // with invalid text.
        guard APIToken.isToken(text) else { return nil }
        return try await apiTokens.value(of: text.lowercased(), at: accounts.now()) {
            try await guesses.find(for: address) { try await accounts.apiToken(text) }
        }
    }

    // MARK: Tokens

    private func apiToken(_ text: String, _ request: GatewayRequest, _ path: EndpointPath) async throws -> APIToken {
        guard let token = try await apiToken(text, from: request.address), token.container == path.container,
            token.environment == path.environment
        else {
            throw ServerError(.apiTokenInvalid, "The API token does not belong to this environment of the container")
        }
        if let origin = request.headers[.origin], !token.allows(origin: origin) {
            throw ServerError(.originNotAllowed, "Pages from this origin are not allowed to use the API token")
        }
        return token
    }

    private func user(
        _ webAuth: String?, _ token: APIToken, _ request: GatewayRequest, _ path: EndpointPath
    ) async throws -> Caller {
        guard let webAuth else {
            guard path.database == .public, path.endpoint.need == .apiToken else { throw signInNeeded(token) }
            return Caller(
                kind: .world, userName: RequestContext.world, apiToken: token.token,
                signInURL: { signIn.url(for: token) })
        }
        guard let proof = WebAuthToken(webAuth, with: accounts.keys),
            proof.isValid(container: path.container, environment: path.environment, at: accounts.now()),
            let session = try await sessions.value(
                of: proof.session, at: accounts.now(), find: { try await accounts.session(proof.session) }),
            session.container == path.container, session.environment == path.environment,
            accounts.now() < session.endsAt,
            let fresh = try await freshToken(
                of: session, usedBy: proof.madeAt(staysSignedIn: session.staysSignedIn), request)
        else { throw signInNeeded(token) }
        return Caller(
            kind: .user(account: session.account), userName: session.userName, session: session.id,
            apiToken: token.token,
            renewedToken: fresh.text(with: accounts.keys), signInURL: { signIn.url(for: token) })
    }

    /// Returns a new token for a session; nil if the session has ended. If the session's row would expire before the
    /// token, the row's expiry is extended.
    private func freshToken(
        of session: Session, usedBy tokenMadeAt: Int64, _ request: GatewayRequest
    ) async throws -> WebAuthToken? {
        let token = accounts.token(
            of: session.id, container: session.container, environment: session.environment,
            staysSignedIn: session.staysSignedIn)
        let now = accounts.now()
        if session.isSuperseded(tokenMadeAt: tokenMadeAt, at: now) { await logSuperseded(session, at: now) }
        if min(token.expiresAt, session.endsAt) > session.expiresAt || now - session.usedAt >= Session.notePeriod
            || session.newestTokenAt == nil
        {
            let used = try await accounts.noteUse(
                of: session, tokenMadeAt: tokenMadeAt, address: request.address)
            guard let used else {
                sessions.forget(session.id)
                return nil
            }
            sessions.replace(used, for: session.id)
        }
        return token
    }

    /// Logs that an older token was used after a newer one, because the older token might have been stolen.
    private func logSuperseded(_ session: Session, at now: Int64) async {
        metrics?.olderTokens.increment()
        _ = await loggedSessions.value(of: session.id, at: now) {
            logger.warning(
                "a web auth token was used after a newer token from the same session",
                metadata: ["container": "\(session.container)", "user": "\(session.userName)"])
            return true
        }
    }

    /// Removes a session from the cache after this process has ended the session.
    func forget(_ session: UUID) { sessions.forget(session) }

    private func signInNeeded(_ token: APIToken) -> Refusal {
        Refusal(
            ServerError(.authenticationRequired, "request needs authorization"), redirectURL: signIn.url(for: token))
    }

    // MARK: Server-to-server keys

    private func serverKey(
        _ headers: SignatureHeaders, _ request: GatewayRequest, _ path: EndpointPath
    ) async throws -> Caller {
        let key = try await verifying(headers, request, path) {
            let (signature, found, publicKey) = try await self.key(headers, path, from: request.address)
            try signature.verify(target: request.target, body: request.body, with: publicKey)
            return found
        }
        guard path.database == .public, path.endpoint.need != .user else {
            throw ServerError(
                .serverKeyNotEnough,
                path.database == .public
                    ? "The endpoint requires a user who has signed in"
                    : "A server-to-server key has access only to the public database")
        }
        return Caller(kind: .serverKey(id: key.id), userName: key.userName, apiToken: nil)
    }

    /// Returns the signature in a request's headers and the key that the headers name. The signature is not verified.
    ///
    /// - Throws: `RequestSignature.Fault`, `THROTTLED`, or `PostgresError`.
    private func key(
        _ headers: SignatureHeaders, _ path: EndpointPath, from address: String
    ) async throws -> (RequestSignature, ServerKey, P256.Signing.PublicKey) {
        let signature = try RequestSignature(headers, at: accounts.now())
        let place = KeyID(id: signature.keyID, container: path.container, environment: path.environment)
        let found = try await serverKeys.value(of: place, at: accounts.now()) {
            try await guesses.find(for: address) {
                try await accounts.serverKey(place.id, container: place.container, environment: place.environment)
            }.map { UsableKey(key: $0, publicKey: try? P256.Signing.PublicKey(derRepresentation: $0.publicKey)) }
        }
        guard let found else { throw RequestSignature.Fault.keyUnknown }
        guard let publicKey = found.publicKey else { throw RequestSignature.Fault.keyDamaged }
        return (signature, found.key, publicKey)
    }

    /// Runs `body`. If it refuses a signature, the reason is logged, but is not sent to the client.
    private func verifying<Value>(
        _ headers: SignatureHeaders, _ request: GatewayRequest, _ path: EndpointPath, _ body: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await body()
        } catch let fault as RequestSignature.Fault {
            logger.info(
                "a signature was refused",
                metadata: [
                    "request": "\(request.requestID)", "cause": "\(fault.rawValue)",
                    "key": "\(headers.keyID.flatMap { APIToken.isToken($0) ? $0 : nil } ?? "malformed")",
                    "container": "\(path.container)", "environment": "\(path.environment.rawValue)",
                ])
            // The text is the same for all causes, as in Apple's service.
            throw ServerError(.signatureInvalid, "Authentication failed")
        }
    }
}

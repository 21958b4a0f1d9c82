internal import CloudKitModel
internal import CoreMetrics
internal import Crypto
internal import Foundation
internal import GatewayStorage
internal import HTTPTypes
internal import Logging
internal import RequestServing
internal import ServiceMessages

/// Finds out who sends a request, and whether they may ask what they ask (web-services 4).
///
/// What the database said of tokens, sessions and keys is believed for ``memory``: revoking one, and signing out
/// everywhere, take that long to be noticed by every instance.
struct Authenticator: Sendable {
    /// How long what the database said counts.
    static let memory = Duration.seconds(4)

    private struct KeyPlace: Hashable {
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
    private let apiTokens = TTLCache<String, APIToken>(life: Self.memory)
    private let sessions = TTLCache<UUID, Session>(life: Self.memory)
    private let serverKeys = TTLCache<KeyPlace, UsableKey>(life: Self.memory)
    private let guesses = GuessLimit()
    /// Sessions of which it was logged lately that an older token was used.
    private let noted = TTLCache<UUID, Bool>(life: .milliseconds(Session.notePeriod), capacity: 1000)
    private let metrics: GatewayMetrics?

    /// An authenticator by the clock of `accounts`. Why a signature is refused is told to the logger, and to nobody else.
    init(
        accounts: AccountStore, signIn: SignInLink, metrics: GatewayMetrics? = nil,
        logger: Logger = Logger(label: "zonda.gateway")
    ) {
        self.metrics = metrics
        self.accounts = accounts
        self.signIn = signIn
        self.logger = logger
    }

    /// The caller.
    ///
    /// Looks up what is not remembered: at most an API token and a session, or a key, each a round trip. The use of a
    /// session is noted every few minutes, which is one more.
    ///
    /// - Throws: ``Refusal`` when the credentials are missing, wrong or not enough; `PostgresError`.
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

    /// Returns when a request's head has credentials for which its body is worth reading: an API token of the addressed
    /// environment that pages of the origin may use, or the id of a key there. A signature is over the body, and is verified
    /// with it; so is everything else, as ``authenticate(_:at:)`` does.
    ///
    /// - Throws: ``Refusal``, `PostgresError`.
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

    /// The API token of that text; nil when there is none.
    ///
    /// - Throws: `THROTTLED`, `PostgresError`.
    private func apiToken(_ text: String, from address: String) async throws -> APIToken? {
        // A memory of what cannot be a token would be filled by anybody.
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
            throw ServerError(.apiTokenInvalid, "The API token is not one of this container's environment")
        }
        if let origin = request.headers[.origin], !token.allows(origin: origin) {
            throw ServerError(.originNotAllowed, "The API token may not be used by pages of this origin")
        }
        return token
    }

    private func user(
        _ webAuth: String?, _ token: APIToken, _ request: GatewayRequest, _ path: EndpointPath
    ) async throws -> Caller {
        guard let webAuth else {
            guard path.database == .public, path.endpoint.need == .anybody else { throw signInNeeded(token) }
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

    /// A fresh token of a session, whose row is made to outlive it; nil when the session has ended.
    private func freshToken(
        of session: Session, usedBy tokenMadeAt: Int64, _ request: GatewayRequest
    ) async throws -> WebAuthToken? {
        let token = accounts.token(
            of: session.id, container: session.container, environment: session.environment,
            staysSignedIn: session.staysSignedIn)
        let now = accounts.now()
        if session.isSuperseded(tokenMadeAt: tokenMadeAt, at: now) { await noteSuperseded(session, at: now) }
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

    /// An older token came after a newer one had been used: two may have it, of whom one has no right to.
    private func noteSuperseded(_ session: Session, at now: Int64) async {
        metrics?.olderTokens.increment()
        _ = await noted.value(of: session.id, at: now) {
            logger.warning(
                "a web auth token was used after a newer one of its sign-in",
                metadata: ["container": "\(session.container)", "user": "\(session.userName)"])
            return true
        }
    }

    /// Has a session looked up anew that was ended by this process.
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
                    ? "The endpoint needs a user who has signed in"
                    : "A server-to-server key has the public database only")
        }
        return Caller(kind: .serverKey(id: key.id), userName: key.userName, apiToken: nil)
    }

    /// The key that a signature names, and the signature as far as it can be read without the body.
    ///
    /// - Throws: `RequestSignature.Fault`, `THROTTLED`, `PostgresError`.
    private func key(
        _ headers: SignatureHeaders, _ path: EndpointPath, from address: String
    ) async throws -> (RequestSignature, ServerKey, P256.Signing.PublicKey) {
        let signature = try RequestSignature(headers, at: accounts.now())
        let place = KeyPlace(id: signature.keyID, container: path.container, environment: path.environment)
        let found = try await serverKeys.value(of: place, at: accounts.now()) {
            try await guesses.find(for: address) {
                try await accounts.serverKey(place.id, container: place.container, environment: place.environment)
            }.map { UsableKey(key: $0, publicKey: try? P256.Signing.PublicKey(derRepresentation: $0.publicKey)) }
        }
        guard let found else { throw RequestSignature.Fault.keyUnknown }
        guard let publicKey = found.publicKey else { throw RequestSignature.Fault.keyDamaged }
        return (signature, found.key, publicKey)
    }

    /// Logs why a signature is refused, which the client is not told.
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
            // One text for all causes, as the real service has it.
            throw ServerError(.signatureInvalid, "Authentication failed")
        }
    }
}

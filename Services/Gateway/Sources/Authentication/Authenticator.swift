internal import CloudKitModel
internal import Crypto
internal import Foundation
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
    private let apiTokens = BriefMemory<String, APIToken>(life: Self.memory)
    private let sessions = BriefMemory<UUID, Session>(life: Self.memory)
    private let serverKeys = BriefMemory<KeyPlace, UsableKey>(life: Self.memory)

    /// An authenticator by the clock of `accounts`. Why a signature is refused is told to the logger, and to nobody else.
    init(accounts: AccountStore, signIn: SignInLink, logger: Logger = Logger(label: "zonda.gateway")) {
        self.accounts = accounts
        self.signIn = signIn
        self.logger = logger
    }

    /// The caller.
    ///
    /// Looks up what is not remembered: at most an API token and a session, or a key, each a round trip. A session that is
    /// used is prolonged now and then, which is one more.
    ///
    /// - Throws: ``Refusal`` when the credentials are missing, wrong or not enough; `PostgresError`.
    func authenticate(_ request: GatewayRequest, at path: EndpointPath) async throws -> Caller {
        do {
            switch try Credentials(request) {
            case .none:
                throw ServerError(
                    .credentialsMissing, "The request has neither an API token nor a server-to-server signature",
                    field: "ckAPIToken")
            case .signature(let headers):
                return try await serverKey(headers, request, path)
            case .tokens(let api, let webAuth):
                let token = try await apiToken(api, request, path)
                return try await user(webAuth, token, path)
            }
        } catch let error as ServerError {
            throw Refusal(error)
        }
    }

    /// The API token of that text; nil when there is none.
    private func apiToken(_ text: String) async throws -> APIToken? {
        // A memory of what cannot be a token would be filled by anybody.
        guard APIToken.isToken(text) else { return nil }
        return try await apiTokens.value(of: text.lowercased(), at: accounts.now()) {
            try await accounts.apiToken(text)
        }
    }

    // MARK: Tokens

    private func apiToken(_ text: String, _ request: GatewayRequest, _ path: EndpointPath) async throws -> APIToken {
        guard let token = try await apiToken(text), token.container == path.container,
            token.environment == path.environment
        else {
            throw ServerError(.apiTokenInvalid, "The API token is not one of this container's environment")
        }
        if let origin = request.headers[.origin], !token.allows(origin: origin) {
            throw ServerError(.originNotAllowed, "The API token may not be used by pages of this origin")
        }
        return token
    }

    private func user(_ webAuth: String?, _ token: APIToken, _ path: EndpointPath) async throws -> Caller {
        guard let webAuth else {
            guard path.database == .public, path.endpoint.need == .anybody else { throw signInNeeded(token) }
            return Caller(
                kind: .world, userName: RequestContext.world, apiToken: token.token,
                signInURL: { signIn.url(for: token) })
        }
        guard let proof = WebAuthToken(webAuth, with: accounts.keys),
            proof.isGood(container: path.container, environment: path.environment, at: accounts.now()),
            let session = try await sessions.value(
                of: proof.session, at: accounts.now(), find: { try await accounts.session(proof.session) }),
            session.container == path.container, session.environment == path.environment,
            let fresh = try await freshToken(of: session)
        else { throw signInNeeded(token) }
        return Caller(
            kind: .user(account: session.account), userName: session.userName, apiToken: token.token,
            renewedToken: fresh.text(with: accounts.keys), signInURL: { signIn.url(for: token) })
    }

    /// A fresh token of a session, whose row is made to outlive it; nil when the session has ended.
    private func freshToken(of session: Session) async throws -> WebAuthToken? {
        let token = accounts.token(
            of: session.id, container: session.container, environment: session.environment,
            staysSignedIn: session.staysSignedIn)
        if token.expiresAt > session.expiresAt {
            guard let prolonged = try await accounts.prolong(session) else {
                sessions.forget(session.id)
                return nil
            }
            sessions.replace(prolonged, for: session.id)
        }
        return token
    }

    private func signInNeeded(_ token: APIToken) -> Refusal {
        Refusal(
            ServerError(.authenticationRequired, "request needs authorization"), redirectURL: signIn.url(for: token))
    }

    // MARK: Server-to-server keys

    private func serverKey(
        _ headers: SignatureHeaders, _ request: GatewayRequest, _ path: EndpointPath
    ) async throws -> Caller {
        let key: ServerKey
        do {
            let signature = try RequestSignature(headers, at: accounts.now())
            let place = KeyPlace(id: signature.keyID, container: path.container, environment: path.environment)
            let found = try await serverKeys.value(of: place, at: accounts.now()) {
                try await accounts.serverKey(place.id, container: place.container, environment: place.environment).map {
                    UsableKey(key: $0, publicKey: try? P256.Signing.PublicKey(derRepresentation: $0.publicKey))
                }
            }
            guard let found else { throw RequestSignature.Fault.keyUnknown }
            guard let publicKey = found.publicKey else { throw RequestSignature.Fault.keyDamaged }
            try signature.verify(target: request.target, body: request.body, with: publicKey)
            key = found.key
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
        guard path.database == .public, path.endpoint.need != .user else {
            throw ServerError(
                .serverKeyNotEnough,
                path.database == .public
                    ? "The endpoint needs a user who has signed in"
                    : "A server-to-server key has the public database only")
        }
        return Caller(kind: .serverKey(id: key.id), userName: key.userName, apiToken: nil)
    }
}

extension APIToken {
    /// Whether pages of `origin` may use the token: what is no page says none.
    func allows(origin: String) -> Bool { origins.isEmpty || origins.contains { $0.utf8.elementsEqual(origin.utf8) } }
}

/// Why a caller is turned away.
struct Refusal: Error {
    /// What is told.
    var error: ServerError
    /// Where to sign in; with `AUTHENTICATION_REQUIRED` only.
    var redirectURL: String?

    /// A refusal with that error.
    init(_ error: ServerError, redirectURL: String? = nil) {
        self.error = error
        self.redirectURL = redirectURL
    }
}

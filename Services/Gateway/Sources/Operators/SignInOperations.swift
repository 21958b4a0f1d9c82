internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import GatewayStorage
internal import OperatorMessages
internal import PostgresClient
internal import RequestServing

/// `users.token`, `users.signIns` and `users.signOut`, for operators.
struct SignInOperations: Sendable {
    let accounts: AccountStore
    let ledger: RequestLedger
    let containers: ContainerCheck

    /// Signs in to an account without a password, for scripts and tests. The answer contains the web auth token, which
    /// is not stored. For a repeated request, the token is recreated from the stored session.
    ///
    /// - Throws: `NOT_FOUND` if the account or the container does not exist, `BAD_REQUEST`, or `PostgresError`.
    func token(_ request: OpenedRequest) async throws -> Answer {
        let body = try UserTokenRequest(request)
        let email = try EmailAddress(validating: body.email)
        let place = try ContainerPlace(validating: body.container, body.environment)
        let stays = body.staysSignedIn ?? false
        try await containers.check(place.container, for: request)
        let kept = try await ledger.once(request, environment: 0) { connection in
            let now = accounts.now()
            let account = try await AccountStore.existingAccount(email, on: connection)
            let session = try await accounts.openSession(
                of: account, in: place, staysSignedIn: stays, at: now, on: connection)
            let userName = try await AccountStore.userName(of: account, in: place.container, on: connection)
            return Answer(
                StoredSession(
                    session: session.uuidString, expiresAt: now + Session.tokenLife(staysSignedIn: stays),
                    userRecordName: userName))
        }
        let stored = try? JSONValue(parsing: kept.body).decoded(as: StoredSession.self)
        guard let stored, let session = UUID(uuidString: stored.session), let userName = stored.userRecordName else {
            throw ServerError.internalError(.outcomeUnreadable)
        }
        let token = WebAuthToken(
            session: session, container: place.container, environment: place.environment, expiresAt: stored.expiresAt)
        return Answer(
            UserTokenRequest.Answer(
                email: email.text, container: place.container, environment: place.environment.rawValue,
                userRecordName: userName, webAuthToken: token.text(with: accounts.keys),
                expiresAt: stored.expiresAt))
    }

    /// Lists an account's current sessions, most recently used first.
    ///
    /// - Throws: `NOT_FOUND` if the account does not exist, `BAD_REQUEST`, or `PostgresError`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let email = try EmailAddress(validating: UserSignInsRequest(request).email)
        guard let account = try await accounts.account(email: email.text)?.account else {
            throw ServerError.accountNotFound()
        }
        let signIns = try await accounts.signIns(of: account.id).map { signIn in
            UserSignIn(
                container: signIn.container, environment: signIn.environment, created: signIn.createdAt,
                lastUsed: signIn.usedAt, address: signIn.address, application: signIn.application,
                staysSignedIn: signIn.staysSignedIn, endsAt: signIn.endsAt)
        }
        return Answer(UserSignInsRequest.Answer(email: account.email, signIns: signIns))
    }

    /// Ends all sessions of an account.
    ///
    /// - Throws: `NOT_FOUND` if the account does not exist, `BAD_REQUEST`, or `PostgresError`.
    func signOut(_ request: OpenedRequest) async throws -> Answer {
        let email = try EmailAddress(validating: UserSignOutRequest(request).email)
        return try await ledger.once(request, endingSignInsOf: accounts) { connection in
            let account = try await AccountStore.existingAccount(email, on: connection)
            let ended = try await AccountStore.endSessions(of: account, on: connection)
            return Answer(UserSignOutRequest.Answer(email: email.text, sessions: ended))
        }
    }
}

/// The stored outcome of `users.token`.
private struct StoredSession: Codable {
    var session: String
    var expiresAt: Int64
    var userRecordName: String?
}

internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import GatewayStorage
internal import PostgresClient
internal import RequestServing

/// `users.token`, `users.signIns` and `users.signOut`, for operators.
struct SignInOperations: Sendable {
    let accounts: AccountStore
    let ledger: RequestLedger
    let containers: ContainerCheck

    /// `{email, container, environment, staysSignedIn?}`: signs an account in without its password, for scripts and
    /// tests. The answer has the web auth token. The session from which the token for a repeat is made is stored.
    ///
    /// - Throws: `NOT_FOUND` when the account or the container does not exist, `BAD_REQUEST`, `PostgresError`.
    func token(_ request: OpenedRequest) async throws -> Answer {
        let body = try OperatorBody(request)
        let email = try body.email()
        let place = try body.place()
        let stays = try body.flag("staysSignedIn")
        try await containers.check(place.container, for: request)
        let kept = try await ledger.once(request, environment: 0) { connection in
            let now = accounts.now()
            let account = try await AccountStore.existingAccount(email, on: connection)
            let session = try await accounts.openSession(
                of: account, in: place, staysSignedIn: stays, at: now, on: connection)
            let userName = try await AccountStore.userName(of: account, in: place.container, on: connection)
            return Answer { writer in
                writer.member("session", session.uuidString)
                writer.member("expiresAt", now + Session.tokenLife(staysSignedIn: stays))
                writer.member("userRecordName", userName)
            }
        }
        let json = try JSONValue(parsing: kept.body)
        guard let session = json["session"]?.string.flatMap(UUID.init(uuidString:)),
            let expiresAt = json["expiresAt"]?.int, let userName = json["userRecordName"]?.string
        else { throw ServerError.internalError(.outcomeUnreadable) }
        let token = WebAuthToken(
            session: session, container: place.container, environment: place.environment, expiresAt: expiresAt)
        return Answer { writer in
            writer.member("email", email.text)
            writer.members(of: place)
            writer.member("userRecordName", userName)
            writer.member("webAuthToken", token.text(with: accounts.keys))
            writer.member("expiresAt", expiresAt)
        }
    }

    /// `{email}`: lists the sign-ins of an account that have not ended, the most recently used first.
    ///
    /// - Throws: `NOT_FOUND` when the account does not exist, `BAD_REQUEST`, `PostgresError`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let email = try OperatorBody(request).email()
        guard let account = try await accounts.account(email: email.text)?.account else {
            throw ServerError.accountNotFound()
        }
        let signIns = try await accounts.signIns(of: account.id)
        return Answer { writer in
            writer.member("email", account.email)
            writer.key("signIns")
            writer.array(signIns) { writer, signIn in
                writer.object { writer in
                    writer.member("container", signIn.container)
                    writer.member("environment", signIn.environment)
                    writer.member("created", signIn.createdAt)
                    writer.member("lastUsed", signIn.usedAt)
                    writer.member("address", signIn.address)
                    writer.member("application", signIn.application)
                    writer.member("staysSignedIn", signIn.staysSignedIn)
                    writer.member("endsAt", signIn.endsAt)
                }
            }
        }
    }

    /// `{email}`: ends all sign-ins of an account.
    ///
    /// - Throws: `NOT_FOUND` when the account does not exist, `BAD_REQUEST`, `PostgresError`.
    func signOut(_ request: OpenedRequest) async throws -> Answer {
        let email = try OperatorBody(request).email()
        return try await ledger.once(request, endingSignInsOf: accounts) { connection in
            let account = try await AccountStore.existingAccount(email, on: connection)
            let ended = try await AccountStore.endSessions(of: account, on: connection)
            return Answer { writer in
                writer.member("email", email.text)
                writer.member("sessions", ended)
            }
        }
    }
}

internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Crypto
internal import Foundation
internal import PostgresClient
internal import RequestServing
internal import SignedTokens

/// `users.create`, `users.list`, `users.token`, `users.signIns`, `users.password`, `users.signOut` and `users.delete`, for
/// operators.
///
/// Every write is kept for a day and answered equally when it is repeated. Of a password nothing is kept by which it could
/// be tried: a request that has one is told apart by a digest under the deployment's keys.
struct AccountOperations: Sendable {
    let accounts: AccountStore
    let ledger: RequestLedger
    let containers: ContainerCheck

    // MARK: Making and removing

    /// `{email, givenName?, familyName?, password?, discoverable?, container?, userRecordName?}`: makes an account, with its
    /// name in a container if one is given: a name by which data was saved before it had an account, or a new one.
    ///
    /// - Throws: `EXISTS` when there is an account of the address, or of the name in the container; `BAD_REQUEST`,
    ///   `NOT_FOUND` without such a container, `PostgresError`.
    func create(_ request: OpenedRequest) async throws -> Answer {
        let body = try OperatorBody(request)
        let email = try EmailAddress(validating: try body.required("email"))
        let (givenName, familyName) = (try body.name("givenName"), try body.name("familyName"))
        let isDiscoverable = try body.flag("discoverable")
        let container = try body.container()
        let userName = try body.text("userRecordName")
        if let userName {
            guard container != nil else { throw ServerError.missingKey("container") }
            do throws(ValidationError) {
                guard try UserName(validating: userName) != .world else { throw Self.worldIsNobody }
            } catch {
                throw ServerError(error, field: "userRecordName")
            }
        }
        let password = try await hash(try body.text("password"))
        if let container { try await containers.check(container, for: request) }
        return try await ledger.once(concealed(request), environment: 0) { connection in
            let made = try await connection.query(
                """
                insert into account.account (email, email_key, given_name, family_name, password, is_discoverable)
                values ($1, $2, $3, $4, $5, $6) on conflict (email_key) do nothing returning id, created_at
                """,
                [
                    .text(email.text), .text(email.key), .text(givenName), .text(familyName), .text(password),
                    .bool(isDiscoverable),
                ])
            guard let row = made.first else {
                throw ServerError(.accountExists, "There is an account of this e-mail address", field: "email")
            }
            let bound = try await bind(row.int64(0), container: container, name: userName, connection)
            return Answer { writer in
                writer.member("email", email.text)
                writer.member("givenName", givenName)
                writer.member("familyName", familyName)
                writer.member("discoverable", isDiscoverable)
                writer.member("hasPassword", password != nil)
                writer.member("created", row.milliseconds(1))
                writer.member("container", container)
                writer.member("userRecordName", bound)
            }
        }
    }

    private static let worldIsNobody = ValidationError(
        .userNameInvalid, "A user is '_' and 32 lower-case hexadecimal digits")

    private func bind(
        _ account: Int64, container: String?, name: String?, _ connection: PostgresConnection
    ) async throws -> String? {
        guard let container else { return nil }
        guard let name else { return try await userName(of: account, in: container, connection) }
        let rows = try await connection.query(
            """
            insert into account.container_user (container, account, user_name) values ($1, $2, $3)
            on conflict do nothing returning user_name
            """, [.text(container), .int8(account), .text(name)])
        guard !rows.isEmpty else {
            throw ServerError(
                .userNameTaken, "The container knows another account by this name", field: "userRecordName")
        }
        return name
    }

    private func userName(
        of account: Int64, in container: String, _ connection: PostgresConnection
    ) async throws -> String? {
        try await connection.pipeline([
            AccountStore.makeUser(account, in: container),
            PostgresCall(
                "select user_name from account.container_user where container = $1 and account = $2",
                [.text(container), .int8(account)]),
        ])[1].first?.string(0)
    }

    /// `{email}`: removes an account with its sign-ins, its subscriptions and clients, and the names by which containers know
    /// it. What it saved stays with the record service, and belongs to nobody who can sign in.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`. Without such an account it is as good.
    func delete(_ request: OpenedRequest) async throws -> Answer {
        let email = try EmailAddress(validating: try OperatorBody(request).required("email"))
        return try await departing(request) { connection in
            let found = try await connection.query(
                "select id from account.account where email_key = $1 for update", [.text(email.key)])
            if let account = found.first?.int64(0) {
                _ = try await connection.pipeline([
                    AccountStore.endSessions(of: account), AccountStore.departUsers(of: account),
                    PostgresCall("delete from account.account where id = $1", [.int8(account)]),
                ])
            }
            return Answer { writer in
                writer.member("email", email.text)
                writer.member("deleted", found.first != nil)
            }
        }
    }

    /// Runs a write once, after which there may be something to forget: see ``Departures``.
    private func departing(
        _ request: OpenedRequest, _ work: (PostgresConnection) async throws -> Answer
    ) async throws -> Answer {
        let answer = try await ledger.once(request, environment: 0, work)
        accounts.onDeparture()
        return answer
    }

    // MARK: Signing in and out

    /// `{email, container, environment, staysSignedIn?}`: signs an account in without its password, and answers with the web
    /// auth token: for scripts and tests. What is kept for a repeat is the session; the token is made of it.
    ///
    /// - Throws: `NOT_FOUND` without such an account or container, `BAD_REQUEST`, `PostgresError`.
    func token(_ request: OpenedRequest) async throws -> Answer {
        let body = try OperatorBody(request)
        let email = try EmailAddress(validating: try body.required("email"))
        let place = try body.place()
        let stays = try body.flag("staysSignedIn")
        try await containers.check(place.container, for: request)
        let kept = try await ledger.once(request, environment: 0) { connection in
            let now = accounts.now()
            let account = try await find(email, connection)
            let session = try await connection.pipeline(
                accounts.openSession(
                    of: account, container: place.container, environment: place.environment, staysSignedIn: stays,
                    at: now))[1][0].uuid(0)
            let userName = try await userName(of: account, in: place.container, connection)
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

    /// `{email, password?, keepsSignIns?}`: changes the password, or takes it away: then nobody signs in with one. All
    /// sign-ins of the account end with the old one unless they are to be kept.
    ///
    /// - Throws: `NOT_FOUND` without such an account, `BAD_REQUEST`, `PostgresError`.
    func password(_ request: OpenedRequest) async throws -> Answer {
        let body = try OperatorBody(request)
        let email = try EmailAddress(validating: try body.required("email"))
        let password = try await hash(try body.text("password"))
        let keepsSignIns = try body.flag("keepsSignIns")
        return try await departing(concealed(request)) { connection in
            let account = try await find(email, connection)
            _ = try await connection.query(
                "update account.account set password = $2 where id = $1", [.int8(account), .text(password)])
            let ended =
                keepsSignIns
                ? 0 : try await connection.pipeline([AccountStore.endSessions(of: account)])[0].affectedRows
            return Answer { writer in
                writer.member("email", email.text)
                writer.member("hasPassword", password != nil)
                writer.member("sessions", ended)
            }
        }
    }

    /// `{email}`: ends all sign-ins of an account.
    ///
    /// - Throws: `NOT_FOUND` without such an account, `BAD_REQUEST`, `PostgresError`.
    func signOut(_ request: OpenedRequest) async throws -> Answer {
        let email = try EmailAddress(validating: try OperatorBody(request).required("email"))
        return try await departing(request) { connection in
            let account = try await find(email, connection)
            let ended = try await connection.pipeline([AccountStore.endSessions(of: account)])[0].affectedRows
            return Answer { writer in
                writer.member("email", email.text)
                writer.member("sessions", ended)
            }
        }
    }

    // MARK: Looking

    /// `{after?, limit?}`: the accounts by their addresses; `after` is an answer's.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let body = try OperatorBody(request)
        let limit = try body.limit()
        let rows = try await accounts.rows(
            """
            select a.email_key, a.email, a.given_name, a.family_name, a.is_discoverable, a.password is not null,
                a.created_at,
                array(select u.container from account.container_user u where u.account = a.id order by u.container),
                array(select u.user_name from account.container_user u where u.account = a.id order by u.container)
            from account.account a where a.email_key > $1 order by a.email_key limit $2
            """, [.text(try body.text("after") ?? ""), .int8(Int64(limit + 1))])
        return Answer { writer in
            writer.key("users")
            writer.array(Array(rows.prefix(limit))) { writer, row in
                writer.object { writer in
                    writer.member("email", row.string(1))
                    writer.member("givenName", row.stringIfPresent(2))
                    writer.member("familyName", row.stringIfPresent(3))
                    writer.member("discoverable", row.bool(4))
                    writer.member("hasPassword", row.bool(5))
                    writer.member("created", row.milliseconds(6))
                    writer.key("containers")
                    writer.array(Array(zip(row.textArray(7), row.textArray(8)))) { writer, user in
                        writer.object { writer in
                            writer.member("container", user.0)
                            writer.member("userRecordName", user.1)
                        }
                    }
                }
            }
            if rows.count > limit { writer.member("after", rows[limit - 1].string(0)) }
        }
    }

    /// `{email}`: the sign-ins of an account that have not ended, the one that was used last first.
    ///
    /// - Throws: `NOT_FOUND` without such an account, `BAD_REQUEST`, `PostgresError`.
    func signIns(_ request: OpenedRequest) async throws -> Answer {
        let email = try EmailAddress(validating: try OperatorBody(request).required("email"))
        guard let account = try await accounts.account(email: email.text)?.account else { throw Self.notFound }
        let rows = try await accounts.rows(
            """
            select s.container, s.environment, s.created_at, s.used_at, s.address, t.name, s.stays_signed_in, s.ends_at
            from account.session s left join account.api_token t on t.token = s.api_token
            where s.account = $1 and s.expires_at > $2 order by s.used_at desc limit $3
            """,
            [
                .int8(account.id), .timestamptz(millisecondsSince1970: accounts.now()),
                .int8(Int64(accounts.sessionBounds.maxSessions)),
            ])
        return Answer { writer in
            writer.member("email", account.email)
            writer.key("signIns")
            writer.array(Array(rows)) { writer, row in
                writer.object { writer in
                    writer.member("container", row.string(0))
                    writer.member("environment", row.string(1))
                    writer.member("created", row.milliseconds(2))
                    writer.member("lastUsed", row.milliseconds(3))
                    writer.member("address", row.stringIfPresent(4))
                    writer.member("application", row.stringIfPresent(5))
                    writer.member("staysSignedIn", row.bool(6))
                    writer.member("endsAt", row.milliseconds(7))
                }
            }
        }
    }

    // MARK: Parts

    private static var notFound: ServerError {
        ServerError(.accountNotFound, "There is no account of this e-mail address", field: "email")
    }

    private func find(_ email: EmailAddress, _ connection: PostgresConnection) async throws -> Int64 {
        let rows = try await connection.query(
            "select id from account.account where email_key = $1 for key share", [.text(email.key)])
        guard let row = rows.first else { throw Self.notFound }
        return row.int64(0)
    }

    private func hash(_ password: String?) async throws -> String? {
        guard let password else { return nil }
        try PasswordHash.check(password)
        return try await PasswordHash.inTurn { [cost = accounts.passwordCost] in
            try PasswordHash.make(password, cost: cost)
        }
    }

    /// The request with a digest of its body in the body's place. Its identity is kept for a day, and an identity made of a
    /// password alone could be tried a billion times a second.
    private func concealed(_ request: OpenedRequest) -> OpenedRequest {
        var delivery = request.delivery
        let digest = Array(SHA256.hash(data: delivery.body))
        delivery.body = accounts.keys.sign(digest).suffix(SigningKeys.signatureLength)
        return OpenedRequest(delivery: delivery, operation: request.operation, context: request.context)
    }
}

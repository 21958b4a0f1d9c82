internal import CloudKitModel
internal import Foundation
internal import PostgresClient

extension AccountStore {
    /// Signs an account in, and returns its first web auth token.
    ///
    /// - Throws: `PostgresError`, also when the account is gone.
    func openSession(
        of account: Int64, container: String, environment: EnvironmentName, staysSignedIn: Bool, source: SignInSource
    ) async throws -> String {
        let calls = openSession(
            of: account, container: container, environment: environment, staysSignedIn: staysSignedIn,
            source: source, at: now())
        let results = try await pool.withConnection { try await $0.pipeline(calls) }
        if results[2].affectedRows > 0 { onDeparture() }
        return token(
            of: results[1][0].uuid(0), container: container, environment: environment, staysSignedIn: staysSignedIn
        ).text(with: keys)
    }

    /// The statements of ``openSession(of:container:environment:staysSignedIn:source:)``; the second returns the session's
    /// id, and the third ends those for which the account has no room.
    ///
    /// - Parameter now: milliseconds since 1970.
    func openSession(
        of account: Int64, container: String, environment: EnvironmentName, staysSignedIn: Bool,
        source: SignInSource = SignInSource(), at now: Int64
    ) -> [PostgresCall] {
        let end = sessionBounds.end(staysSignedIn: staysSignedIn, at: now)
        return [
            Self.makeUser(account, in: container),
            PostgresCall(
                """
                insert into account.session
                    (account, container, environment, stays_signed_in, expires_at, ends_at, used_at, address, api_token)
                values ($1, $2, $3, $4, least($5, $6), $6, $7, $8, $9) returning id
                """,
                [
                    .int8(account), .text(container), .text(environment.rawValue), .bool(staysSignedIn),
                    .timestamptz(millisecondsSince1970: Self.expiry(staysSignedIn: staysSignedIn, at: now)),
                    .timestamptz(millisecondsSince1970: end), .timestamptz(millisecondsSince1970: now),
                    .text(source.address), .text(source.apiToken),
                ]),
            Self.endSessions(
                """
                id in (select id from account.session where account = $1 order by used_at desc, created_at desc
                    offset $2)
                """, [.int8(account), .int8(Int64(sessionBounds.maxSessions))]),
        ]
    }

    /// A token of a session, good from now on.
    func token(
        of session: UUID, container: String, environment: EnvironmentName, staysSignedIn: Bool
    ) -> WebAuthToken {
        WebAuthToken(
            session: session, container: container, environment: environment,
            expiresAt: now() + Session.tokenLife(staysSignedIn: staysSignedIn))
    }

    /// A session that was not ended.
    ///
    /// - Throws: `PostgresError`.
    func session(_ id: UUID) async throws -> Session? {
        let rows = try await rows(
            """
            select s.account, s.container, s.environment, u.user_name, s.stays_signed_in, s.expires_at, s.ends_at,
                s.used_at, s.newest_token_at
            from account.session s
            join account.container_user u on u.container = s.container and u.account = s.account
            where s.id = $1
            """, [.uuid(id)])
        return rows.first.flatMap { row in
            EnvironmentName(rawValue: row.string(2)).map { environment in
                Session(
                    id: id, account: row.int64(0), container: row.string(1), environment: environment,
                    userName: row.string(3), staysSignedIn: row.bool(4), expiresAt: row.milliseconds(5),
                    endsAt: row.milliseconds(6), usedAt: row.milliseconds(7),
                    newestTokenAt: row.millisecondsIfPresent(8))
            }
        }
    }

    /// Notes that a session is used now, and lets it live as long as a token that is made of it now, and a while longer,
    /// but not past its end; nil when it has ended.
    ///
    /// - Parameters:
    ///   - tokenMadeAt: when the token was made by which it is used, milliseconds since 1970.
    ///   - address: the client's.
    /// - Throws: `PostgresError`.
    func noteUse(of session: Session, tokenMadeAt: Int64, address: String) async throws -> Session? {
        let now = now()
        let rows = try await rows(
            """
            update account.session set expires_at = least(greatest(expires_at, $2), ends_at), used_at = $3,
                address = $4, newest_token_at = greatest(newest_token_at, $5)
            where id = $1 returning expires_at, newest_token_at
            """,
            [
                .uuid(session.id),
                .timestamptz(
                    millisecondsSince1970: Self.expiry(staysSignedIn: session.staysSignedIn, at: now)),
                .timestamptz(millisecondsSince1970: now), .text(address),
                .timestamptz(millisecondsSince1970: tokenMadeAt),
            ])
        return rows.first.map { row in
            var used = session
            used.expiresAt = row.milliseconds(0)
            used.usedAt = now
            used.newestTokenAt = row.milliseconds(1)
            return used
        }
    }

    private static func expiry(staysSignedIn: Bool, at now: Int64) -> Int64 {
        now + Session.tokenLife(staysSignedIn: staysSignedIn) + Session.reserve(staysSignedIn: staysSignedIn)
    }

    // MARK: The end

    /// Ends the sessions that `condition` finds, and notes that their clients are to be forgotten; affects as many rows as
    /// there were.
    ///
    /// - Parameter condition: SQL over the columns of `account.session`, a constant.
    static func endSessions(_ condition: String, _ parameters: [PostgresParameter]) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                with ended as (delete from account.session where \(condition) returning id, container, environment)
                insert into account.departure (container, environment, session)
                select container, environment, id from ended
                """), parameters)
    }

    /// Ends all sessions of an account.
    static func endSessions(of account: Int64) -> PostgresCall { endSessions("account = $1", [.int8(account)]) }

    /// Notes that everything is to be forgotten of the users as whom containers know an account.
    static func departUsers(of account: Int64) -> PostgresCall {
        PostgresCall(
            """
            insert into account.departure (container, environment, user_name)
            select u.container, e.name, u.user_name from account.container_user u
            cross join (values ('development'), ('production')) e (name) where u.account = $1
            """, [.int8(account)])
    }

    /// Ends a session; false when there was none.
    ///
    /// - Throws: `PostgresError`.
    func endSession(_ id: UUID) async throws -> Bool { try await end("id = $1", [.uuid(id)]) > 0 }

    /// Ends all sign-ins of an account, in all containers; returns how many there were.
    ///
    /// - Throws: `PostgresError`.
    func signOutEverywhere(_ account: Int64) async throws -> Int { try await end("account = $1", [.int8(account)]) }

    /// Removes some sessions of which no token can be good any more; returns how many.
    ///
    /// - Throws: `PostgresError`.
    func removeExpiredSessions(limit: Int = 1000) async throws -> Int {
        try await end(
            """
            id in (select id from account.session where expires_at < $1 order by expires_at limit $2
                for update skip locked)
            """, [.timestamptz(millisecondsSince1970: now()), .int8(Int64(limit))])
    }

    private func end(_ condition: String, _ parameters: [PostgresParameter]) async throws -> Int {
        let call = Self.endSessions(condition, parameters)
        let ended = try await pool.withConnection { try await $0.pipeline([call])[0].affectedRows }
        if ended > 0 { onDeparture() }
        return ended
    }
}

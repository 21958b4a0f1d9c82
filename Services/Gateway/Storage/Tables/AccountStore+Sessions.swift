package import CloudKitModel
package import Foundation
package import PostgresClient

extension AccountStore {
    /// Signs in to an account, and returns the session's first web auth token.
    ///
    /// - Throws: `PostgresError`, for example if the account has been removed.
    package func openSession(
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

    /// Signs in to an account in the caller's transaction, and returns the session's id.
    ///
    /// - Parameter now: the current time, in milliseconds since 1970.
    /// - Throws: `PostgresError`.
    package func openSession(
        of account: Int64, in place: ContainerPlace, staysSignedIn: Bool, at now: Int64,
        on connection: PostgresConnection
    ) async throws -> UUID {
        try await connection.pipeline(
            openSession(
                of: account, container: place.container, environment: place.environment,
                staysSignedIn: staysSignedIn, source: SignInSource(), at: now))[1][0].uuid(0)
    }

    /// Returns the statements for ``openSession(of:container:environment:staysSignedIn:source:)``. The second statement
    /// returns the session's id, and the third ends the sessions that exceed the account's maximum.
    ///
    /// - Parameter now: the current time, in milliseconds since 1970.
    private func openSession(
        of account: Int64, container: String, environment: EnvironmentName, staysSignedIn: Bool,
        source: SignInSource, at now: Int64
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

    /// Returns a new token for a session.
    package func token(
        of session: UUID, container: String, environment: EnvironmentName, staysSignedIn: Bool
    ) -> WebAuthToken {
        WebAuthToken(
            session: session, container: container, environment: environment,
            expiresAt: now() + Session.tokenLife(staysSignedIn: staysSignedIn))
    }

    /// Returns the session with the given id; nil if it has ended.
    ///
    /// - Throws: `PostgresError`.
    package func session(_ id: UUID) async throws -> Session? {
        try await rows(
            """
            select s.account, s.container, s.environment, u.user_name, s.stays_signed_in, s.expires_at, s.ends_at,
                s.used_at, s.newest_token_at
            from account.session s
            join account.container_user u on u.container = s.container and u.account = s.account
            where s.id = $1
            """, [.uuid(id)]
        ).first.map { row in
            Session(
                id: id, account: row.int64(0), container: row.string(1), environment: try row.environment(2),
                userName: row.string(3), staysSignedIn: row.bool(4), expiresAt: row.milliseconds(5),
                endsAt: row.milliseconds(6), usedAt: row.milliseconds(7),
                newestTokenAt: row.millisecondsIfPresent(8))
        }
    }

    /// Returns an account's current sessions, most recently used first.
    ///
    /// - Throws: `PostgresError`.
    package func signIns(of account: Int64) async throws -> [SignInListing] {
        try await rows(
            """
            select s.container, s.environment, s.created_at, s.used_at, s.address, t.name, s.stays_signed_in, s.ends_at
            from account.session s left join account.api_token t on t.token = s.api_token
            where s.account = $1 and s.expires_at > $2 order by s.used_at desc limit $3
            """,
            [
                .int8(account), .timestamptz(millisecondsSince1970: now()), .int8(Int64(sessionBounds.maxSessions)),
            ]
        ).map { row in
            SignInListing(
                container: row.string(0), environment: row.string(1), createdAt: row.milliseconds(2),
                usedAt: row.milliseconds(3), address: row.stringIfPresent(4), application: row.stringIfPresent(5),
                staysSignedIn: row.bool(6), endsAt: row.milliseconds(7))
        }
    }

    /// Records the use of a session. The session's row is then kept until some time after the expiry of a token issued
    /// now, but not beyond the end of the session. Returns the updated session; nil if it has ended.
    ///
    /// - Parameters:
    ///   - tokenMadeAt: the time at which the client's token was issued, in milliseconds since 1970.
    ///   - address: the client's address.
    /// - Throws: `PostgresError`.
    package func noteUse(of session: Session, tokenMadeAt: Int64, address: String) async throws -> Session? {
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

    /// Ends a session. Returns false if it had already ended.
    ///
    /// - Throws: `PostgresError`.
    package func endSession(_ id: UUID) async throws -> Bool { try await end("id = $1", [.uuid(id)]) > 0 }

    /// Ends all sessions of an account in all containers, and returns their number.
    ///
    /// - Throws: `PostgresError`.
    package func signOutEverywhere(_ account: Int64) async throws -> Int {
        try await end("account = $1", [.int8(account)])
    }

    /// Ends all sessions of an account in the caller's transaction, and returns their number. The caller must call
    /// ``onDeparture`` after the commit.
    ///
    /// - Throws: `PostgresError`.
    package static func endSessions(of account: Int64, on connection: PostgresConnection) async throws -> Int {
        try await connection.pipeline([endSessions(of: account)])[0].affectedRows
    }

    /// Removes up to `limit` sessions whose tokens have all expired, and returns their number.
    ///
    /// - Throws: `PostgresError`.
    package func removeExpiredSessions(limit: Int = 1000) async throws -> Int {
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

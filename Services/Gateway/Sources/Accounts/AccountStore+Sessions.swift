internal import CloudKitModel
internal import Foundation
internal import PostgresClient

/// A sign-in of an account in a container's environment.
struct Session: Sendable, Hashable {
    /// The row's, which tokens carry.
    var id: UUID
    /// Who signed in.
    var account: Int64
    /// Where.
    var container: String
    /// And in which environment.
    var environment: EnvironmentName
    /// The user record name there.
    var userName: String
    /// Whether its tokens are good for two weeks instead of half an hour.
    var staysSignedIn: Bool
    /// Milliseconds since 1970 after which the row is removed: never before a token of it has expired.
    var expiresAt: Int64

    /// How long a token is good (web-services 4.3), milliseconds.
    static func tokenLife(staysSignedIn: Bool) -> Int64 { staysSignedIn ? 14 * 86_400_000 : 30 * 60_000 }

    /// How much longer the row stays than the token that was made with it, so that not every answer's fresh token has to
    /// write it, milliseconds.
    static func reserve(staysSignedIn: Bool) -> Int64 { tokenLife(staysSignedIn: staysSignedIn) / 6 }
}

extension AccountStore {
    /// Signs an account in, and returns its first web auth token.
    ///
    /// - Throws: `PostgresError`, also when the account is gone.
    func openSession(
        of account: Int64, container: String, environment: EnvironmentName, staysSignedIn: Bool
    ) async throws -> String {
        let calls = Self.openSession(
            of: account, container: container, environment: environment, staysSignedIn: staysSignedIn, at: now())
        let id = try await pool.withConnection { try await $0.pipeline(calls)[1][0].uuid(0) }
        return token(
            of: id, container: container, environment: environment, staysSignedIn: staysSignedIn
        ).text(with: keys)
    }

    /// The statements of ``openSession(of:container:environment:staysSignedIn:)``; the second returns the session's id.
    ///
    /// - Parameter now: milliseconds since 1970.
    static func openSession(
        of account: Int64, container: String, environment: EnvironmentName, staysSignedIn: Bool, at now: Int64
    ) -> [PostgresCall] {
        [
            makeUser(account, in: container),
            PostgresCall(
                """
                insert into account.session (account, container, environment, stays_signed_in, expires_at)
                values ($1, $2, $3, $4, $5) returning id
                """,
                [
                    .int8(account), .text(container), .text(environment.rawValue), .bool(staysSignedIn),
                    .timestamptz(millisecondsSince1970: expiry(staysSignedIn: staysSignedIn, at: now)),
                ]),
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

    /// A session that nobody has ended.
    ///
    /// - Throws: `PostgresError`.
    func session(_ id: UUID) async throws -> Session? {
        let rows = try await rows(
            """
            select s.account, s.container, s.environment, u.user_name, s.stays_signed_in, s.expires_at
            from account.session s
            join account.container_user u on u.container = s.container and u.account = s.account
            where s.id = $1
            """, [.uuid(id)])
        return rows.first.flatMap { row in
            EnvironmentName(rawValue: row.string(2)).map { environment in
                Session(
                    id: id, account: row.int64(0), container: row.string(1), environment: environment,
                    userName: row.string(3), staysSignedIn: row.bool(4), expiresAt: row.milliseconds(5))
            }
        }
    }

    /// Lets a session live as long as a token that is made of it now, and a while longer; nil when it has ended.
    ///
    /// - Throws: `PostgresError`.
    func prolong(_ session: Session) async throws -> Session? {
        let rows = try await rows(
            """
            update account.session set expires_at = greatest(expires_at, $2) where id = $1 returning expires_at
            """,
            [
                .uuid(session.id),
                .timestamptz(millisecondsSince1970: Self.expiry(staysSignedIn: session.staysSignedIn, at: now())),
            ])
        return rows.first.map { row in
            var prolonged = session
            prolonged.expiresAt = row.milliseconds(0)
            return prolonged
        }
    }

    private static func expiry(staysSignedIn: Bool, at now: Int64) -> Int64 {
        now + Session.tokenLife(staysSignedIn: staysSignedIn) + Session.reserve(staysSignedIn: staysSignedIn)
    }

    /// Ends all sign-ins of an account, in all containers; returns how many there were.
    ///
    /// - Throws: `PostgresError`.
    func signOutEverywhere(_ account: Int64) async throws -> Int {
        try await rows("delete from account.session where account = $1", [.int8(account)]).affectedRows
    }

    /// Removes some sessions of which no token can be good any more; returns how many.
    ///
    /// - Throws: `PostgresError`.
    func removeExpiredSessions(limit: Int = 1000) async throws -> Int {
        try await rows(
            """
            delete from account.session where id in (
                select id from account.session where expires_at < $1 order by expires_at limit $2
                for update skip locked)
            """, [.timestamptz(millisecondsSince1970: now()), .int8(Int64(limit))]
        ).affectedRows
    }
}

internal import CloudKitModel
internal import PostgresClient
internal import ServiceMessages

/// The sign-ins that have ended, so that a request that was let in just before registers no client afterwards.
///
/// A registration holds its session's lock shared until it has committed; ending a session takes the lock alone. So a
/// registration has either committed when the session's clients are looked for, or finds that the session has ended.
enum SessionTable {
    /// Lets a registration by `session` go ahead; nil: no sign-in is named. Inside the registration's transaction.
    ///
    /// - Throws: `AUTHENTICATION_REQUIRED` when the sign-in has ended; `PostgresError`. One round trip.
    static func admit(_ session: String?, _ connection: PostgresConnection) async throws {
        guard let session else { return }
        let results = try await connection.pipeline([
            PostgresCall(
                "select pg_advisory_xact_lock_shared(hashtextextended('zonda session ' || $1, 0))", [.text(session)]),
            PostgresCall("select 1 from subscription.ended_session s where s.session = $1", [.text(session)]),
        ])
        guard results[1].first == nil else {
            throw ServerError(.authenticationRequired, "The sign-in has ended", field: Header.session)
        }
    }

    /// Ends sessions, after the registrations by them that are under way.
    static func end(_ sessions: [String]) -> [PostgresCall] {
        [
            PostgresCall(
                """
                select pg_advisory_xact_lock(k.key) from (select distinct hashtextextended('zonda session ' || s, 0) as key
                    from unnest($1::text[]) as s order by key) as k
                """, [.textArray(sessions)]),
            PostgresCall(
                """
                insert into subscription.ended_session (session) select distinct s from unnest($1::text[]) as s order by s
                on conflict do nothing
                """, [.textArray(sessions)]),
        ]
    }

    /// Forgets some of those that ended over an hour ago: no request lives that long.
    static func forgetEnded(limit: Int) -> PostgresCall {
        PostgresCall(
            """
            delete from subscription.ended_session where session in (
                select s.session from subscription.ended_session s where s.ended_at < now() - interval '1 hour'
                order by s.ended_at limit $1 for update skip locked)
            """, [.int8(Int64(limit))])
    }
}

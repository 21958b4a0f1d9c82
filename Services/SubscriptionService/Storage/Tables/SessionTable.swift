package import PostgresClient

/// The sessions that have ended. They are stored so that a request that was accepted just before the end of its session
/// cannot register a client afterwards.
///
/// A registration holds its session's lock in shared mode until it has committed. Ending a session takes this lock in
/// exclusive mode. Therefore, a registration either has committed by the time the session's clients are looked up, or
/// finds that the session has ended.
package enum SessionTable {
    /// Returns whether a session has ended. If not, the session cannot end before the connection's transaction does.
    /// Takes one round trip.
    ///
    /// - Throws: `PostgresError`.
    package static func hasEnded(_ session: String, _ connection: PostgresConnection) async throws -> Bool {
        let results = try await connection.pipeline([
            PostgresCall(
                "select pg_advisory_xact_lock_shared(hashtextextended('zonda session ' || $1, 0))", [.text(session)]),
            PostgresCall("select 1 from subscription.ended_session s where s.session = $1", [.text(session)]),
        ])
        return results[1].first != nil
    }

    /// Waits for the registrations in progress that belong to the sessions, and then ends the sessions.
    package static func end(_ sessions: [String]) -> [PostgresCall] {
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

    /// Removes up to `limit` of the sessions that ended more than an hour ago, which is longer than any request lasts.
    package static func removeOld(limit: Int) -> PostgresCall {
        PostgresCall(
            """
            delete from subscription.ended_session where session in (
                select s.session from subscription.ended_session s where s.ended_at < now() - interval '1 hour'
                order by s.ended_at limit $1 for update skip locked)
            """, [.int8(Int64(limit))])
    }
}

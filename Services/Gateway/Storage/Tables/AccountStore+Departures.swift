internal import PostgresClient

extension AccountStore {
    /// Returns up to `limit` departures with an id above `id`, oldest first.
    ///
    /// - Throws: `PostgresError`.
    package func departures(after id: Int64, limit: Int) async throws -> [Departure] {
        try await rows(
            """
            select id, container, environment, session, user_name from account.departure where id > $1
            order by id limit $2
            """, [.int8(id), .int8(Int64(limit))]
        ).map { row in
            Departure(
                id: row.int64(0), place: ContainerPlace(container: row.string(1), environment: try row.environment(2)),
                subject: row.stringIfPresent(4).map { .user($0) } ?? .session(row.uuid(3)))
        }
    }

    /// Removes departures.
    ///
    /// - Throws: `PostgresError`.
    package func removeDepartures(_ ids: [Int64]) async throws {
        _ = try await rows("delete from account.departure where id = any($1)", [.int8Array(ids)])
    }

    /// Ends the sessions that meet a condition, and adds a departure for each. The number of affected rows is the
    /// number of ended sessions.
    ///
    /// - Parameter condition: a constant SQL condition on the columns of `account.session`.
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

    /// Adds a departure for each user record name of an account, in both environments.
    static func departUsers(of account: Int64) -> PostgresCall {
        PostgresCall(
            """
            insert into account.departure (container, environment, user_name)
            select u.container, e.name, u.user_name from account.container_user u
            cross join (values ('development'), ('production')) e (name) where u.account = $1
            """, [.int8(account)])
    }
}

internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages

/// `clients.forget`, for the gateway: the clients of users or sign-ins are told nothing more, and their queues go.
///
/// The registrations expire at once, in one transaction: from its commit on no notification is addressed to them, even
/// while the broker is away. Then the queues are deleted as those of expired clients are. An interrupted request leaves the
/// rest to the next round of ``ExpiredClients``; a repeat has no further effect.
struct ForgetOperation: Sendable {
    let pool: PostgresPool
    let clients: ExpiredClients
    let queues: ClientQueues

    /// Answers with the number of registrations and subscriptions that there were. A token that others have registered
    /// too keeps its queue, with what is in it.
    ///
    /// - Throws: `BAD_REQUEST`, `TRY_AGAIN_LATER` when the broker cannot be reached before the deadline, `PostgresError`,
    ///   ``Withheld``. One transaction, and one more with a round trip to the broker for each client.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try ForgetRequest(JSONValue(parsing: request.delivery.body))
        let (names, registrations, subscriptions) = try await pool.withTransaction { connection in
            let ended = SessionTable.end(body.sessions)
            let removed = body.removesSubscriptions ? [Self.removeSubscriptions(body), Self.removeBadges(body)] : []
            let results = try await connection.pipeline(ended + [Self.expire(body)] + removed)
            let expired = results[ended.count].map { $0.string(0) }
            return (
                Set(expired), expired.count, body.removesSubscriptions ? results[ended.count + 1].affectedRows : 0
            )
        }
        for name in names.sorted() {
            try await remove(name, request.context)
        }
        return Answer { writer in
            writer.member("clients", registrations)
            writer.member("subscriptions", subscriptions)
        }
    }

    private func remove(_ name: String, _ context: RequestContext) async throws {
        let database: (any Error)? = try await queues.outlast(context) { () async throws(AMQPError) in
            do {
                try await clients.removeNow(name)
                return nil
            } catch let error as AMQPError {
                throw error
            } catch {
                return error
            }
        }
        // The whole request is tried again: what is done stays done.
        if let database { throw database }
    }

    // MARK: Statements

    private static func parameters(_ body: ForgetRequest) -> [PostgresParameter] {
        [.text(body.container), .text(body.environment), .textArray(body.users)]
    }

    /// The environments of the body, by index where it names one.
    private static let environments = """
        (select e.id from subscription.environment e
            where ($1::text is null or e.container = $1) and ($2::text is null or e.name = $2)) e
        """

    private static func expire(_ body: ForgetRequest) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                with found as (
                    select c.name, c.environment, c.user_name from \(environments)
                    cross join lateral (select * from subscription.client c
                        where c.environment = e.id and c.user_name = any($3::text[]) offset 0) c
                    union
                    select c.name, c.environment, c.user_name from subscription.client c where c.session = any($4::text[])
                ), locked as (
                    select c.name, c.environment, c.user_name from subscription.client c
                    where (c.name, c.environment, c.user_name) in (select * from found)
                    order by c.name, c.environment, c.user_name for no key update)
                update subscription.client c set expires_at = now()
                from locked l
                where c.name = l.name and c.environment = l.environment and c.user_name = l.user_name
                returning c.name
                """), parameters(body) + [.textArray(body.sessions)])
    }

    private static func removeSubscriptions(_ body: ForgetRequest) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                with held as (
                    select s.id from subscription.subscription s
                    where s.environment in (select e.id from \(environments)) and s.scope in (1, 2)
                        and s.user_name = any($3::text[])
                    order by s.id for update)
                delete from subscription.subscription s using held h where s.id = h.id
                """), parameters(body))
    }

    private static func removeBadges(_ body: ForgetRequest) -> PostgresCall {
        PostgresCall(
            PostgresStatement(
                """
                delete from subscription.badge b
                where b.environment in (select e.id from \(environments)) and b.user_name = any($3::text[])
                """), parameters(body))
    }
}

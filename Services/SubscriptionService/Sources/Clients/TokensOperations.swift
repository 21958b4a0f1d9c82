internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages
internal import SignedTokens
internal import SubscriptionStorage

/// `tokens.create`, `tokens.register` and `tokens.status` (web-services 8.1): the clients of a user.
///
/// **A token is a bearer token.** Any user who has a token can register it and then receive notifications through it. A
/// device uses the same token for all containers, although its user has a different id in each container, and for all
/// users who sign in on the device. The signature prevents guessing. A registration gives no access to other users'
/// registrations: `tokens.status` returns only the caller's registrations, and the queue can be read only with the
/// token.
struct TokensOperations: Sendable {
    let pool: PostgresPool
    let ledger: RequestLedger
    let zones: ZoneCheck
    let queues: ClientQueues
    let keys: SigningKeys
    let courier: WebCourierAddress
    /// The maximum number of clients that a user can have in an environment.
    let maxClients: Int

    /// Creates a token and registers it. A repeated request gets the same token and does not register it again.
    ///
    /// The queue is declared after the registration is committed, so it can miss notifications that are published
    /// before the answer is sent.
    ///
    /// - Throws: ``ServerError``, `PostgresError`, `ServiceStopping`.
    func create(_ request: OpenedRequest) async throws -> Answer {
        let body = try ClientRequest(JSONValue(parsing: request.delivery.body))
        let environment = try await environment(of: request)
        let table = ClientTable(environment: environment, context: request.context)
        let record = try await ledger.once(request, environment: environment) { connection in
            let token = ClientToken(body.apnsEnvironment, with: keys)
            try await refuseEndedSession(request.context.session, connection)
            let results = try await connection.pipeline([table.lock(), table.count(without: token.name)])
            try refuseOneMore(than: results[1])
            _ = try await connection.pipeline([save(token, body, request.context, in: table)])
            return Self.record(of: token)
        }
        let token = try token(recordedIn: record, body.apnsEnvironment)
        // The first attempt may have ended before it declared the queue. An expired registration needs no queue.
        let found = try await pool.withConnection { try await $0.pipeline([table.find(token.name)])[0] }
        if found.first != nil { try await makeQueue(of: token, request.context) }
        return courier.answer(token)
    }

    /// Registers a token, or renews its registration.
    ///
    /// - Throws: ``ServerError``, `PostgresError`, `ServiceStopping`.
    func register(_ request: OpenedRequest) async throws -> Answer {
        let json = try JSONValue(parsing: request.delivery.body)
        let body = try ClientRequest(json)
        let token = try ClientToken(in: json, with: keys)
        guard token.environment == body.apnsEnvironment else {
            throw ServerError(
                .apnsEnvironmentMismatch, "The apnsToken was issued for '\(token.environment.rawValue)'",
                field: "apnsEnvironment")
        }
        let table = ClientTable(environment: try await environment(of: request), context: request.context)
        try await pool.withTransaction { connection in
            try await refuseEndedSession(request.context.session, connection)
            let results = try await connection.pipeline([
                table.lock(), ClientTable.lock(token.name), table.count(without: token.name),
            ])
            try refuseOneMore(than: results[2])
            _ = try await connection.pipeline([save(token, body, request.context, in: table)])
        }
        try await makeQueue(of: token, request.context)
        return courier.answer(token)
    }

    /// Returns the state of a client that the caller has registered in this environment.
    ///
    /// - Throws: ``ServerError``, `PostgresError`, `ServiceStopping`.
    func status(_ request: OpenedRequest) async throws -> Answer {
        let token = try ClientToken(in: try JSONValue(parsing: request.delivery.body), with: keys)
        let registrations = try await registrations(of: token, request.context)
        guard let here = registrations.first(where: \.isHere) else {
            throw ServerError(
                .apnsTokenNotRegistered, "The apnsToken is not registered in this environment", field: "apnsToken")
        }
        let queue = try await queues.retrying(request.context) { () async throws(AMQPError) in
            try await queues.status(of: token.name)
        }
        return Answer { writer in
            writer.member("apnsEnvironment", here.apnsEnvironment)
            writer.member("clientId", here.clientID)
            writer.member("queue", Queue.client(token.name))
            writer.member("messages", queue?.messageCount)
            writer.member("consumers", queue?.consumerCount)
            writer.member("dropped", here.dropped)
            writer.member("droppedAt", here.droppedAt)
            writer.member("expiresAt", here.expiresAt)
            writer.key("registrations")
            writer.array(registrations) { writer, registration in
                writer.object { writer in
                    writer.member("container", registration.container)
                    writer.member("environment", registration.environment)
                    writer.member("expiresAt", registration.expiresAt)
                }
            }
        }
    }

    /// Returns the id of the request's environment. A new environment is created only after the record service has
    /// confirmed, by looking up a zone, that the container exists.
    private func environment(of request: OpenedRequest) async throws -> Int32 {
        let environments = EnvironmentTable(pool: pool)
        if let environment = try await environments.find(request.context) { return environment }
        _ = try await zones.missing([ZoneID(zoneName: .defaultZone)], for: request)
        return try await environments.findOrMake(request.context)
    }

    private func registrations(of token: ClientToken, _ context: RequestContext) async throws
        -> [ClientTable.Registration]
    {
        guard let environment = try await EnvironmentTable(pool: pool).find(context) else { return [] }
        let call = ClientTable(environment: environment, context: context).status(of: token.name)
        return try await pool.withConnection { ClientTable.registrations(try await $0.pipeline([call])[0]) }
    }

    /// Refuses the registration if its session has ended. `session` is nil if the request does not name a session.
    private func refuseEndedSession(_ session: String?, _ connection: PostgresConnection) async throws {
        guard let session, try await SessionTable.hasEnded(session, connection) else { return }
        throw ServerError(.authenticationRequired, "The session has ended", field: Header.session)
    }

    private func refuseOneMore(than others: PostgresResult) throws(ServerError) {
        guard Int(others.first?.int64(0) ?? 0) < maxClients else {
            throw ServerError(
                .tooManyClients, "A user can have at most \(maxClients) registered clients in an environment",
                field: "clients", limit: maxClients, actual: maxClients + 1)
        }
    }

    private func save(
        _ token: ClientToken, _ body: ClientRequest, _ context: RequestContext, in table: ClientTable
    ) -> PostgresCall {
        table.save(
            token, clientID: body.clientID, session: context.session, milliseconds: courier.life.milliseconds)
    }

    private func makeQueue(of token: ClientToken, _ context: RequestContext) async throws {
        try await queues.retrying(context) { () async throws(AMQPError) in try await queues.makeSure(of: token.name) }
    }

    // MARK: The record of a token for repeated requests

    /// Returns the parts of a token from which only the owner of the signing keys can derive the token.
    private static func record(of token: ClientToken) -> Answer {
        Answer { writer in
            writer.member("name", token.name)
            writer.member("seed", Hexadecimal.encode(token.seed))
        }
    }

    private func token(recordedIn answer: Answer, _ environment: ClientToken.Environment) throws -> ClientToken {
        let record = try JSONValue(parsing: answer.body)
        guard let name = record["name"]?.string, let seed = record["seed"]?.string.flatMap(Hexadecimal.decode),
            let token = ClientToken(environment, seed: seed, name: name, with: keys)
        else { throw ServerError.internalError(.outcomeUnreadable) }
        return token
    }
}

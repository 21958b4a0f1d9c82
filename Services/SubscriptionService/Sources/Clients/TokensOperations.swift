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
/// **Possession is the right.** Whoever has a token may register it, and hears by it what is told to the user who did: a
/// token is shared by a device's containers, whose user ids differ, and by the users who sign in one after another. That
/// it is not guessed is its signature's task. Registering gives the one who does it nothing of the others': each is told
/// of the own registrations, and the queue is read with the token only.
struct TokensOperations: Sendable {
    let pool: PostgresPool
    let ledger: RequestLedger
    let zones: ZoneCheck
    let queues: ClientQueues
    let keys: SigningKeys
    let courier: WebCourierAddress
    /// How many clients a user may have in an environment.
    let maxClients: Int

    /// Makes a token and registers it. A repeat gets the same one, and registers nothing again.
    ///
    /// The queue is made when the registration is committed: what is told before the answer may miss it.
    ///
    /// - Throws: ``ServerError``, `PostgresError`, ``Withheld``.
    func create(_ request: OpenedRequest) async throws -> Answer {
        let body = try ClientRequest(JSONValue(parsing: request.delivery.body))
        let environment = try await environment(of: request)
        let table = ClientTable(environment: environment, context: request.context)
        let kept = try await ledger.once(request, environment: environment) { connection in
            let token = ClientToken(body.apnsEnvironment, with: keys)
            try await refuseEndedSession(request.context.session, connection)
            let results = try await connection.pipeline([table.lock(), table.count(without: token.name)])
            try refuseOneMore(than: results[1])
            _ = try await connection.pipeline([save(token, body, request.context, in: table)])
            return Self.kept(token)
        }
        let token = try token(keptIn: kept, body.apnsEnvironment)
        // The first attempt may have ended before it had made the queue. One whose time is over needs none.
        let found = try await pool.withConnection { try await $0.pipeline([table.find(token.name)])[0] }
        if found.first != nil { try await makeQueue(of: token, request.context) }
        return courier.answer(token)
    }

    /// Registers a token, for the first time or once more, which renews it.
    ///
    /// - Throws: ``ServerError``, `PostgresError`, ``Withheld``.
    func register(_ request: OpenedRequest) async throws -> Answer {
        let json = try JSONValue(parsing: request.delivery.body)
        let body = try ClientRequest(json)
        let token = try ClientToken(in: json, with: keys)
        guard token.environment == body.apnsEnvironment else {
            throw ServerError(
                .apnsEnvironmentMismatch, "The apnsToken was made for '\(token.environment.rawValue)'",
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

    /// Tells what became of a client that the caller has registered here.
    ///
    /// - Throws: ``ServerError``, `PostgresError`, ``Withheld``.
    func status(_ request: OpenedRequest) async throws -> Answer {
        let token = try ClientToken(in: try JSONValue(parsing: request.delivery.body), with: keys)
        let registrations = try await registrations(of: token, request.context)
        guard let here = registrations.first(where: \.isHere) else {
            throw ServerError(
                .apnsTokenNotRegistered, "The apnsToken is not registered in this environment", field: "apnsToken")
        }
        let queue = try await queues.outlast(request.context) { () async throws(AMQPError) in
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

    /// The addressed environment, which is made when it is not there. Not before the record service has said that there
    /// is such a container, as it does when it is asked for a zone.
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

    /// Refuses a registration by a sign-in that has ended; nil: the request names no sign-in.
    private func refuseEndedSession(_ session: String?, _ connection: PostgresConnection) async throws {
        guard let session, try await SessionTable.hasEnded(session, connection) else { return }
        throw ServerError(.authenticationRequired, "The sign-in has ended", field: Header.session)
    }

    private func refuseOneMore(than others: PostgresResult) throws(ServerError) {
        guard Int(others.first?.int64(0) ?? 0) < maxClients else {
            throw ServerError(
                .tooManyClients, "A user has at most \(maxClients) registered clients in an environment",
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
        try await queues.outlast(context) { () async throws(AMQPError) in try await queues.makeSure(of: token.name) }
    }

    // MARK: What is kept of a token for a repeat

    /// As much as tells the keys' owner which token it was, and nobody else.
    private static func kept(_ token: ClientToken) -> Answer {
        Answer { writer in
            writer.member("name", token.name)
            writer.member("seed", Hexadecimal.encode(token.seed))
        }
    }

    private func token(keptIn answer: Answer, _ environment: ClientToken.Environment) throws -> ClientToken {
        let kept = try JSONValue(parsing: answer.body)
        guard let name = kept["name"]?.string, let seed = kept["seed"]?.string.flatMap(Hexadecimal.decode),
            let token = ClientToken(environment, seed: seed, name: name, with: keys)
        else { throw ServerError.internalError(.outcomeUnreadable) }
        return token
    }
}

internal import AMQPClient
internal import NIOPosix
internal import ServiceMessages

/// Callers with one request in progress at a time, either over HTTP through the gateway or directly over AMQP.
struct Callers: Sendable {
    /// Sends a request with `body` and returns the body of the answer. `number` counts the caller's requests.
    typealias Ask = @Sendable (ServiceMessages.Operation, _ body: [UInt8], _ number: Int) async throws -> [UInt8]

    /// The number of callers.
    let count: Int
    /// The number of connections to the broker that they share over AMQP.
    let producers: Int

    /// Runs the callers over HTTP, each with its own connection.
    ///
    /// - Throws: the first failure of a caller.
    func overHTTP(
        _ caller: @escaping @Sendable (Ask, Int) async throws -> ReadCounts
    ) async throws -> (counts: ReadCounts, elapsed: Duration) {
        let address = try GatewayAddress()
        let group = MultiThreadedEventLoopGroup.singleton
        var connections: [GatewayConnection] = []
        for _ in 0..<count {
            connections.append(try await .connect(host: address.host, port: address.port, on: group))
        }
        let places = connections
        let start = ContinuousClock.now
        let counts = try await withThrowingTaskGroup(of: ReadCounts.self) { group in
            for (number, connection) in places.enumerated() {
                group.addTask {
                    try await caller(
                        { operation, body, _ in
                            try await connection.post(body, to: address.target(of: operation), host: address.host)
                        }, number)
                }
            }
            return try await group.reduce(ReadCounts(), +)
        }
        let elapsed = ContinuousClock.now - start
        for connection in places { await connection.close() }
        return (counts, elapsed)
    }

    /// Runs the callers over AMQP.
    ///
    /// - Throws: the first failure of a caller.
    func overAMQP(
        _ caller: @escaping @Sendable (Ask, Int) async throws -> ReadCounts
    ) async throws -> (counts: ReadCounts, elapsed: Duration) {
        let service = ServiceAnswer()
        let producers = Producers(
            configuration: try LimitEnvironment.broker(), count: producers, inFlight: count / producers)
        let (counts, elapsed) = try await producers.run { client, place in
            try await caller(
                { operation, body, number in
                    try await service.answer(to: operation, body: body, over: client, slot: place, number: number)
                }, place)
        }
        return (counts.reduce(ReadCounts(), +), elapsed)
    }
}

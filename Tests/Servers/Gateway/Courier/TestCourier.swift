import AMQPClient
import CloudKitModel
import GatewayTestSupport
import Logging
import ServiceLifecycle
import ServiceMessages
import ServiceRuntime
import SignedTokens
import Synchronization
import TestSupport

@testable import Gateway

/// A courier with the queue of one client, behind the gateway's HTTP server.
final class TestCourier: Sendable {
    let keys: SigningKeys
    let token: ClientToken
    let port: Int
    private let session: AMQPChannelSession
    private let publisher: AMQPPublisher
    private let services: ServiceGroup

    private init(
        _ keys: SigningKeys, _ token: ClientToken, _ port: Int, _ session: AMQPChannelSession,
        _ publisher: AMQPPublisher, _ services: ServiceGroup
    ) {
        (self.keys, self.token, self.port, self.session) = (keys, token, port, session)
        (self.publisher, self.services) = (publisher, services)
    }

    /// Random keys.
    static func keys() throws -> SigningKeys {
        let key = (0..<64).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
        return try SigningKeys(parsing: "test:\(key)", for: .clientToken)
    }

    /// Runs `body` with a courier that serves a registered client.
    static func with(
        wait: Duration = .seconds(30), heartbeat: Duration = .seconds(30), resume: Duration = .seconds(30),
        maxPollsPerClient: Int = 10, _ body: (TestCourier) async throws -> Void
    ) async throws {
        let environment = try TestEnvironment.required()
        let configuration = try AMQPConfiguration(url: environment.amqpURL)
        let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        let keys = try keys()
        let token = ClientToken(.development, with: keys)
        let reader = AMQPQueueReader(configuration: configuration, logger: logger)
        let publisher = AMQPPublisher(configuration: configuration, logger: logger)
        let route = CourierRoute(
            CourierConfiguration(
                wait: wait, heartbeat: heartbeat, resume: resume, maxPolls: 100, maxPollsPerClient: maxPollsPerClient),
            keys: keys, reader: reader, metrics: CourierMetrics(ServiceMetrics()))
        let port = Mutex<Int?>(nil)
        var setup = GatewayFront.Setup()
        setup.courier = { try await route.respond(to: $0, query: $1, on: $2) }
        var server = GatewayFront.server(setup, GatewayFront.Services())
        server.onRunning = { running in port.withLock { $0 = running } }
        let group = ServiceGroup(services: [reader, publisher, server, route.ending], logger: logger)
        try await AMQPChannelSession.with(configuration) { session in
            _ = try await session.declare(AMQPQueue(name: Queue.client(token.name)))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                let found = try await Self.eventually("the courier listens") { port.withLock { $0 } }
                do {
                    try await body(TestCourier(keys, token, found, session, publisher, group))
                } catch {
                    _ = try? await session.deleteQueue(Queue.client(token.name))
                    throw error
                }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
            try await session.deleteQueue(Queue.client(token.name))
        }
    }

    /// The target of the client's requests.
    var target: String { "/courier?tok=\(token.urlText)&ttl=43200" }

    /// A connection.
    func client() throws -> CourierClient { try CourierClient(port: port) }

    /// The id of a notification.
    func id(_ number: Int) -> String { "id-\(number)" }

    /// A notification.
    func body(_ number: Int, padding: Int = 0) -> String {
        #"{"id":"id-\#(number)","ck":{"ce":2},"padding":"\#(String(repeating: "x", count: padding))"}"#
    }

    /// Publishes notifications to the client.
    func publish(_ numbers: Range<Int>, padding: Int = 0) async throws {
        let messages = numbers.map { number in
            AMQPMessage(
                exchange: "", routingKey: Queue.client(token.name),
                properties: AMQPProperties(messageID: id(number)), body: Array(body(number, padding: padding).utf8))
        }
        for result in await publisher.publish(messages) { try result.get() }
    }

    /// The number of waiting messages.
    func messages() async throws -> Int? { try await session.status(ofQueue: Queue.client(token.name))?.messageCount }

    /// Waits until `count` polls and streams read the queue.
    func waitUntilRead(by count: Int) async throws {
        try await Self.eventually("\(count) read") {
            try await session.status(ofQueue: Queue.client(token.name))?.consumerCount == count ? true : nil
        }
    }

    /// Waits until the queue is empty and no delivery is unacknowledged.
    func waitUntilEmpty() async throws {
        let environment = try TestEnvironment.required()
        let vhost = try AMQPConfiguration(url: environment.amqpURL).virtualHost
        try await Self.eventually("nothing is held") {
            let count = try await environment.control(
                "erlang",
                """
                {ok, Q} = rabbit_amqqueue:lookup(
                    rabbit_misc:r(<<"\(vhost)">>, queue, <<"\(Queue.client(token.name))">>)),
                [{messages, N}] = rabbit_amqqueue:info(Q, [messages]), N.
                """)
            return count.contains("{ok, 0}") ? true : nil
        }
    }

    /// Calls `body` repeatedly until it returns a value, for states whose changes are not signalled.
    @discardableResult
    static func eventually<Value>(
        _ what: String, within limit: Duration = .seconds(20), _ body: () async throws -> Value?
    ) async throws -> Value {
        let clock = ContinuousClock()
        let deadline = clock.now + limit
        while clock.now < deadline {
            if let value = try await body() { return value }
            try await clock.sleep(for: .milliseconds(30))
        }
        throw TestFailure("waited \(limit) in vain: \(what)")
    }

    /// Starts the shutdown of the service.
    func shutDown() async { await services.triggerGracefulShutdown() }
}

import AMQPClient
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import ServiceRuntime
import SignedTokens
import TestSupport

@testable import SubscriptionService
@testable import SubscriptionStorage

/// A running service, with access to its clients and their queues.
struct ClientStack: Sendable {
    let service: SubscriptionStack
    let amqp: AMQPConfiguration
    let session: AMQPChannelSession
    /// The metrics that ``clean()`` updates.
    let metrics = ServiceMetrics()

    /// Creates a service with a changed configuration, and runs it while `body` runs.
    static func with(
        configured configure: (inout SubscriptionServiceConfiguration) -> Void = { _ in },
        _ body: (ClientStack) async throws -> Void
    ) async throws {
        try await SubscriptionStack.with(configured: configure) { service in
            let amqp = try service.vhost.configuration()
            try await AMQPChannelSession.with(amqp) { session in
                try await service.withService {
                    try await body(ClientStack(service: service, amqp: amqp, session: session))
                }
            }
        }
    }

    /// The keys that sign the service's tokens.
    var keys: SigningKeys { service.configuration.clientKeys }

    /// Returns a client for a new user.
    func client() -> TestClient {
        TestClient(rpc: service.rpc, container: "com.example.tests", user: TestZone.newUser())
    }

    /// Creates a token.
    func make(_ client: TestClient) async throws -> ClientToken {
        let reply = try await client.ask(.tokensCreate, ["apnsEnvironment": "development", "clientId": "laptop"])
        guard let token = ClientToken(reply["apnsToken"]?.string ?? "", with: keys) else {
            throw TestFailure("no token: \(reply)")
        }
        return token
    }

    /// Publishes a notification to users and their clients.
    func tell(_ text: some CustomStringConvertible, _ tokens: [ClientToken]) async throws {
        let keys = tokens.map { AMQPValue.string(Queue.client($0.name)) }
        try await service.publisher.publish(
            AMQPMessage(
                exchange: Exchange.notifications, routingKey: "user.a.development.b.c",
                properties: AMQPProperties(headers: ["BCC": .array(keys)]), body: Array("\(text)".utf8)))
    }

    /// Publishes a message repeatedly until the broker refuses it, and returns the error; nil if this takes too long.
    func refusal(of message: AMQPMessage) async -> AMQPError? {
        for _ in 0..<100_000 {
            do throws(AMQPError) {
                try await service.publisher.publish(message)
            } catch {
                return error
            }
        }
        return nil
    }

    /// Waits until a client's queue contains `count` messages.
    func waitFor(_ count: Int, in token: ClientToken) async throws {
        try await within(.seconds(20), "\(count) messages") {
            while try await session.status(ofQueue: Queue.client(token.name))?.messageCount != count {}
        }
    }

    /// Returns the first message of a client's queue, and leaves it there.
    func peek(_ token: ClientToken) async throws -> String? {
        try await AMQPChannelSession.with(amqp) { session in
            let delivery = try await session.get(Queue.client(token.name), noAck: false)
            return delivery.map { String(decoding: $0.body, as: UTF8.self) }
        }
    }

    /// Takes all messages from a client's queue.
    func take(_ token: ClientToken) async throws -> [String] {
        var texts: [String] = []
        while let delivery = try await session.get(Queue.client(token.name)) {
            texts.append(String(decoding: delivery.body, as: UTF8.self))
        }
        return texts
    }

    /// Returns the existing queues of all clients whose tokens were created.
    func queues() async throws -> Set<String> {
        let names = try await service.pool.withConnection { connection in
            try await connection.query(
                """
                select distinct convert_from(r.outcome, 'UTF8')::jsonb ->> 'name' from subscription.request r
                where convert_from(r.outcome, 'UTF8')::jsonb ? 'name'
                """
            ).map { $0.string(0) }
        }
        var queues: Set<String> = []
        for name in names where try await session.status(ofQueue: Queue.client(name)) != nil {
            queues.insert(Queue.client(name))
        }
        return queues
    }

    /// Makes all registrations of a token expire after `time`; by default, they have expired.
    func expire(_ token: ClientToken, in time: String = "0 s") async throws {
        _ = try await service.pool.withConnection { connection in
            try await connection.query(
                "update subscription.client set expires_at = now() + $2::text::interval where name = $1",
                [.text(token.name), .text(time)])
        }
    }

    /// Runs one round of the periodic cleanup.
    func clean() async throws {
        let queues = ClientQueues(amqp, bounds: service.configuration.clientQueues, logger: testLogger)
        try await ExpiredClients(pool: service.pool, queues: queues, metrics: SubscriptionMetrics(metrics)).runOnce()
    }
}

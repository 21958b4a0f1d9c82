import AMQPClient
import CloudKitModel
import CloudKitWire
import Logging
import ServiceMessages
import TestSupport
import Testing

/// A consumer with a grant.
struct GrantedConsumer: Sendable {
    let name: String
    let brokerUser: String
    let url: String
    let configuration: AMQPConfiguration
    /// A logger without output.
    static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

    func queue(_ name: String) -> String { "consumer.\(self.name).\(name)" }

    /// Requests a page of past notifications.
    @discardableResult
    func replay(_ body: JSONValue) async throws -> TestReply { try await replay(body, userID: brokerUser) }

    @discardableResult
    func replay(_ body: JSONValue, userID: String?) async throws -> TestReply {
        var message = AMQPMessage(
            exchange: Exchange.consumers, routingKey: "notifications.replay", body: body.encoded())
        message.properties.userID = userID
        let rpc = AMQPRPCClient(configuration: configuration, logger: Self.logger)
        return try await withThrowingTaskGroup(of: Void.self) { [message] group in
            group.addTask { try await rpc.run() }
            defer { group.cancelAll() }
            return try TestReply(try await rpc.call(message, timeout: .seconds(20)))
        }
    }

    func isRefused(publishingTo exchange: String) async -> Bool {
        let publisher = AMQPPublisher(configuration: configuration, logger: Self.logger)
        let results = await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await publisher.run() }
            defer { group.cancelAll() }
            return await publisher.publish([
                AMQPMessage(exchange: exchange, routingKey: "records.modify", body: [])
            ])
        }
        return results.allSatisfy { result in
            if case .failure(let error) = result { error.replyCode == 403 } else { false }
        }
    }

    func isRefused(readingLog queue: String) async -> Bool {
        let reader = AMQPConsumer(
            configuration: configuration,
            consumptions: [AMQPConsumption(queue: queue, prefetch: 1, arguments: ["x-stream-offset": "first"])],
            logger: Self.logger)
        return await withTaskGroup(of: Void.self) { group in
            group.addTask { try? await reader.run() }
            defer { group.cancelAll() }
            do {
                try await reader.waitUntilConnected(timeout: .seconds(2))
                return false
            } catch {
                return reader.failure?.replyCode == 403
            }
        }
    }
}

extension ServiceStack {
    /// Grants zones to a new consumer, passes it to `body`, and revokes the grant.
    func withConsumer(
        _ zones: String..., of client: TestClient, _ body: (GrantedConsumer) async throws -> Void
    ) async throws {
        let name = TestEnvironment.uniqueName("consumer")
        let consumer = try granted(name, try await grant(name, zones, as: client))
        do {
            try await body(consumer)
        } catch {
            _ = try? await self.consumer(["revoke", name, "--json"], as: client)
            throw error
        }
        _ = try await self.consumer(["revoke", name, "--json"], as: client)
    }

    func granted(_ name: String, _ answer: JSONValue) throws -> GrantedConsumer {
        let url = try #require(answer["url"]?.string)
        return GrantedConsumer(
            name: name, brokerUser: answer["brokerUser"]?.string ?? "", url: url,
            configuration: try AMQPConfiguration(url: url))
    }

    func grant(_ name: String, _ zones: [String], as client: TestClient) async throws -> JSONValue {
        try await consumer(["grant", name, "--json"] + zones, as: client)
    }

    /// Returns the output of `zonda consumer …`.
    func consumer(_ arguments: [String], as client: TestClient) async throws -> JSONValue {
        let management = ["--management-url", environment.managementURL ?? ""]
        return try JSONValue(parsing: try await output(of: ["consumer"] + arguments + management, as: client))
    }

    /// Returns the routing key of a zone's notifications.
    func key(ofZone zone: String, of client: TestClient) -> String {
        RoutingKey.zoneNotification(
            ZoneAddress(
                container: container, environment: .development, scope: .private, owner: client.user,
                zone: ZoneName(unchecked: zone)))
    }

    /// Returns the number of messages in a queue; nil if the queue does not exist.
    func messages(in queue: String) async throws -> Int? {
        try await AMQPChannelSession.with(try vhost.configuration()) { try await $0.status(ofQueue: queue) }?
            .messageCount
    }
}

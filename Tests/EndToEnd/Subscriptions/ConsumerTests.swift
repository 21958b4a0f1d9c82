import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import Logging
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// `zonda watch` with a memory.
    @Suite(.sharedServices, .timeLimit(.minutes(3))) struct DurableWatchTests {
        @Test func aNamedConsumerMissesNothingWhileItIsAway() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            let name = TestEnvironment.uniqueName("named")
            try await client.zones("create", "Notes", "Drafts")
            let watch = ["watch", "--name", name, "--timeout", "30s", "--json"]
            let unknown = try stack.zonda(watch, as: client)
            #expect(try await unknown.exit(within: .seconds(30)) == .code(1))
            let first = try stack.zonda(watch + ["Notes", "--count", "1"], as: client)
            try await first.hasSaid("watching")
            try await client.save("Notes", "a", ["n": 1])
            #expect(try await first.exit(within: .seconds(30)) == .code(0))
            #expect(try first.recordNames == ["a"])
            for record in ["b", "c", "d"] { try await client.save("Notes", record, ["n": 2]) }
            // What was not printed stays, and an earlier command's bindings too.
            let second = try await stack.output(of: watch + ["Drafts", "--count", "2"], as: client)
            #expect(try second.recordNames == ["b", "c"])
            try await client.save("Drafts", "e", ["n": 3])
            let third = try await stack.output(of: watch + ["--count", "2"], as: client)
            #expect(try third.recordNames == ["d", "e"])
            try await client.save("Notes", "f", ["n": 3])
            try await eventually("the notification waits") {
                try await stack.messages(in: "consumer.\(name).watch") == 1 ? true : nil
            }
            let forgotten = try await stack.output(of: ["watch", "--name", name, "--forget", "--json"], as: client)
            #expect(try JSONValue(parsing: forgotten)["forgotten"] == 1)
            #expect(try await stack.messages(in: "consumer.\(name).watch") == nil)
        }

        @Test func theLogIsReadFromThenAndGoesOnWithoutAGap() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            try await client.zones("create", "Notes", "Drafts")
            for record in ["a", "b", "c"] {
                try await client.save("Notes", record, ["n": 1])
                try await client.save("Drafts", record, ["n": 1])
            }
            let watch = try stack.zonda(
                ["watch", "Notes", "--since", "10m", "--count", "5", "--timeout", "30s", "--json"], as: client)
            try await watch.hasSaid("watching")
            for record in ["d", "e"] { try await client.save("Notes", record, ["n": 2]) }
            #expect(try await watch.exit(within: .seconds(30)) == .code(0))
            #expect(try watch.recordNames == ["a", "b", "c", "d", "e"])
            let all = try await stack.output(
                of: ["watch", "Notes", "--since", "first", "--count", "5", "--timeout", "30s", "--json"], as: client)
            #expect(try all.recordNames == ["a", "b", "c", "d", "e"])
            let future = try stack.zonda(
                ["watch", "Notes", "--since", "2999-01-01T00:00:00Z", "--count", "1", "--timeout", "1s"], as: client)
            #expect(try await future.exit(within: .seconds(30)) == .code(1))
        }

        @Test func theBrokerHoldsConsumersQueuesAndTheLogToLimits() async throws {
            let stack = try SharedStack.current
            let text = try await stack.environment.control([
                "rabbitmqctl", "--silent", "--formatter", "json", "--vhost", stack.vhost.name, "list_policies",
            ])
            let policies = try #require(try JSONValue(parsing: text).array)
            #expect(Set(policies.compactMap { $0["name"]?.string }) == Set(BrokerPolicy.all().map(\.name)))
            let log = try #require(policies.first { $0["name"] == "zonda-notifications-log" })
            let definition = try JSONValue(parsing: log["definition"]?.string ?? "")
            #expect(definition["max-age"] == "24h")
        }
    }

    /// A broker user that hears some zones and nothing else.
    @Suite(
        .sharedServices, .timeLimit(.minutes(3)),
        .enabled(
            if: TestEnvironment.current?.managementURL != nil, "ZONDA_TEST_RABBITMQ_MANAGEMENT_URL is not set"))
    struct ConsumerGrantTests {
        @Test func aGrantedUserHearsItsZonesAndMayNothingElse() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            try await client.zones("create", "Notes & Drafts", "Others")
            try await stack.withConsumer("Notes & Drafts", of: client) { consumer in
                let (own, key) = (consumer.queue("inbox"), stack.key(ofZone: "Notes & Drafts", of: client))
                try await AMQPChannelSession.with(consumer.configuration) { session in
                    _ = try await session.declare(AMQPQueue(name: own))
                    try await session.bind(AMQPBinding(queue: own, exchange: Exchange.notifications, routingKey: key))
                    let database = key.split(separator: ".").dropLast().joined(separator: ".")
                    for other in [
                        "#", "*", "zone.#", "zone.*.*.*.*.*", "\(database).*", "\(database).#",
                        stack.key(ofZone: "Others", of: client),
                        stack.key(ofZone: "Notes & Drafts", of: stack.client()),
                        "user.#",
                    ] {
                        await #expect(
                            refusal("bind \(other)") {
                                try await session.bind(
                                    AMQPBinding(queue: own, exchange: Exchange.notifications, routingKey: other))
                            })
                    }
                    await #expect(
                        refusal("another exchange") {
                            try await session.bind(
                                AMQPBinding(queue: own, exchange: Exchange.changes, routingKey: "#"))
                        })
                    for queue in [
                        Queue.notificationsLog, "consumer.other.inbox", Queue.recordWrites, Queue.deadLetters,
                        Queue.subscriptionReplays,
                    ] {
                        await #expect(refusal("get \(queue)") { _ = try await session.get(queue, noAck: false) })
                    }
                    for queue in ["consumer.other.inbox", "mine", "consumer.\(consumer.name)x.inbox"] {
                        await #expect(
                            refusal("declare \(queue)") {
                                _ = try await session.declare(AMQPQueue(name: queue))
                            })
                    }
                    await #expect(
                        refusal("delete the log") {
                            _ = try await session.deleteQueue(Queue.notificationsLog)
                        })
                }
                for exchange in Topology.all.exchanges.map(\.name) + [""] where exchange != Exchange.consumers {
                    #expect(await consumer.isRefused(publishingTo: exchange), "\(exchange)")
                }
                #expect(await consumer.isRefused(readingLog: Queue.notificationsLog))
                let drafts = try await TestQueue.withDeliveries(of: own, consumer.configuration) { box in
                    try await client.save("Others", "hidden", ["n": 1])
                    try await client.save("Notes & Drafts", "a", ["n": 1])
                    return try await box.names(1)
                }
                #expect(drafts == ["a"])
                // The command line works with the consumer's own address.
                try await client.save("Notes & Drafts", "b", ["n": 1])
                let watch = try stack.zonda(
                    [
                        "watch", "Notes & Drafts", "--name", consumer.name, "--count", "1", "--json", "--amqp-url",
                        consumer.url,
                    ], as: client)
                try await watch.hasSaid("watching")
                try await client.save("Notes & Drafts", "c", ["n": 1])
                #expect(try await watch.exit(within: .seconds(30)) == .code(0))
                #expect(try watch.recordNames == ["c"])
            }
        }

        @Test func aReplayHasGrantedZonesOnly() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            try await client.zones("create", "Notes", "Others")
            for record in ["a", "b", "c"] {
                try await client.save("Others", record, ["n": 1])
                try await client.save("Notes", record, ["n": 1])
            }
            try await stack.withConsumer("Notes", of: client) { consumer in
                let page = try await eventually("three notifications are replayed") {
                    let page = try await consumer.replay(["since": "10m"])
                    return page["notifications"]?.array?.count == 3 ? page : nil
                }
                let found = page["notifications"]?.array ?? []
                #expect(found.allSatisfy { $0["zone"] == "Notes" && $0["owner"]?.string == client.user })
                #expect(found.flatMap { $0["records"]?.array ?? [] }.map { $0["recordName"] } == ["a", "b", "c"])
                #expect(page["moreComing"] == false)
                let first = try await consumer.replay(["since": "10m", "limit": 1])
                #expect(first["moreComing"] == true)
                let rest = try await consumer.replay(["after": first["after"] ?? .null])
                #expect(rest["notifications"]?.array?.count == 2)
                let denied = try await consumer.replay(["since": "10m", "zones": ["Others"]])
                #expect(denied.body.errorCode == "ACCESS_DENIED")
                let nameless = try await consumer.replay(["since": "10m"], userID: nil)
                #expect(nameless.body.reasonCode == "authentication_required")
                await #expect(throws: AMQPError.self) { try await consumer.replay(["since": "10m"], userID: "zonda") }
            }
        }

        @Test func anotherGrantTakesTheFirstOnesPlaceAndARevocationTakesEverything() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            try await client.zones("create", "Notes", "Drafts")
            try await stack.withConsumer("Notes", of: client) { consumer in
                let own = consumer.queue("inbox")
                try await AMQPChannelSession.with(consumer.configuration) { session in
                    _ = try await session.declare(AMQPQueue(name: own))
                    try await session.bind(
                        AMQPBinding(
                            queue: own, exchange: Exchange.notifications,
                            routingKey: stack.key(ofZone: "Notes", of: client)))
                }
                let again = try await stack.grant(consumer.name, ["Drafts"], as: client)
                #expect(again["url"] == nil)
                #expect(again["zones"] == ["Drafts"])
                try await AMQPChannelSession.with(consumer.configuration) { session in
                    try await session.bind(
                        AMQPBinding(
                            queue: own, exchange: Exchange.notifications,
                            routingKey: stack.key(ofZone: "Drafts", of: client)))
                    await #expect(
                        refusal("the former zone") {
                            try await session.bind(
                                AMQPBinding(
                                    queue: own, exchange: Exchange.notifications,
                                    routingKey: stack.key(ofZone: "Notes", of: client)))
                        })
                }
                try await TestQueue.withDeliveries(of: own, consumer.configuration) { box in
                    try await client.save("Notes", "a", ["n": 1])
                    try await client.save("Drafts", "b", ["n": 1])
                    let names = try await box.names(1)
                    #expect(names == ["b"])
                }
                let list = try await stack.output(of: ["consumer", "list", "--json"], as: client)
                let listed = try list.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
                #expect(listed.first { $0["consumer"]?.string == consumer.name }?["zones"] == ["Drafts"])
                // With a connection that is open.
                let listening = AMQPConsumer(
                    configuration: consumer.configuration,
                    consumptions: [AMQPConsumption(queue: own, prefetch: 1)], logger: silentLogger)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await listening.run() }
                    defer { group.cancelAll() }
                    try await listening.waitUntilConnected(timeout: .seconds(20))
                    let revoked = try await stack.consumer(["revoke", consumer.name, "--json"], as: client)
                    #expect(revoked["revoked"] == true)
                    #expect(revoked["queues"] == 1)
                    try await eventually("its connection is closed") { listening.isConnected ? nil : true }
                }
                #expect(try await stack.messages(in: own) == nil)
                await #expect(throws: AMQPError.self) {
                    try await AMQPChannelSession.with(consumer.configuration) { try await $0.connect() }
                }
            }
        }

        @Test func everyZoneOfADatabaseMayBeGranted() async throws {
            let stack = try SharedStack.current
            let client = stack.client()
            try await client.zones("create", "Notes")
            let name = TestEnvironment.uniqueName("all")
            let granted = try await stack.grant(name, ["--all-zones"], as: client)
            let consumer = try stack.granted(name, granted)
            let own = consumer.queue("inbox")
            let zone = stack.key(ofZone: "Notes", of: client)
            let database = zone.split(separator: ".").dropLast().joined(separator: ".")
            try await AMQPChannelSession.with(consumer.configuration) { session in
                _ = try await session.declare(AMQPQueue(name: own))
                try await session.bind(
                    AMQPBinding(queue: own, exchange: Exchange.notifications, routingKey: "\(database).*"))
                await #expect(
                    refusal("everything") {
                        try await session.bind(
                            AMQPBinding(queue: own, exchange: Exchange.notifications, routingKey: "\(database).#"))
                    })
            }
            try await TestQueue.withDeliveries(of: own, consumer.configuration) { box in
                try await client.save("Notes", "a", ["n": 1])
                let names = try await box.names(1)
                #expect(names == ["a"])
            }
            _ = try await stack.consumer(["revoke", name, "--json"], as: client)
        }
    }
}

private let silentLogger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

/// Whether the broker refuses what `body` does, for lack of a right.
private func refusal(_ what: String, _ body: () async throws -> Void) async -> Bool {
    do {
        try await body()
    } catch let error as AMQPError where error.replyCode == 403 {
        return true
    } catch {
        Issue.record("\(what): \(error)")
    }
    return false
}

/// A consumer that was granted something.
private struct GrantedConsumer: Sendable {
    let name: String
    let brokerUser: String
    let url: String
    let configuration: AMQPConfiguration

    func queue(_ name: String) -> String { "consumer.\(self.name).\(name)" }

    /// Asks for a page of past notifications.
    @discardableResult
    func replay(_ body: JSONValue) async throws -> TestReply { try await replay(body, userID: brokerUser) }

    @discardableResult
    func replay(_ body: JSONValue, userID: String?) async throws -> TestReply {
        var message = AMQPMessage(
            exchange: Exchange.consumers, routingKey: "notifications.replay", body: body.encoded())
        message.properties.userID = userID
        let rpc = AMQPRPCClient(configuration: configuration, logger: silentLogger)
        return try await withThrowingTaskGroup(of: Void.self) { [message] group in
            group.addTask { try await rpc.run() }
            defer { group.cancelAll() }
            return try TestReply(try await rpc.call(message, timeout: .seconds(20)))
        }
    }

    func isRefused(publishingTo exchange: String) async -> Bool {
        let publisher = AMQPPublisher(configuration: configuration, logger: silentLogger)
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
            logger: silentLogger)
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
    /// Grants zones to a new consumer, lends it, and revokes it.
    fileprivate func withConsumer(
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

    fileprivate func granted(_ name: String, _ answer: JSONValue) throws -> GrantedConsumer {
        let url = try #require(answer["url"]?.string)
        return GrantedConsumer(
            name: name, brokerUser: answer["brokerUser"]?.string ?? "", url: url,
            configuration: try AMQPConfiguration(url: url))
    }

    fileprivate func grant(_ name: String, _ zones: [String], as client: TestClient) async throws -> JSONValue {
        try await consumer(["grant", name, "--json"] + zones, as: client)
    }

    /// What `zonda consumer …` printed.
    fileprivate func consumer(_ arguments: [String], as client: TestClient) async throws -> JSONValue {
        let management = ["--management-url", environment.managementURL ?? ""]
        return try JSONValue(parsing: try await output(of: ["consumer"] + arguments + management, as: client))
    }

    /// The routing key of a zone's notifications.
    fileprivate func key(ofZone zone: String, of client: TestClient) -> String {
        RoutingKey.zoneNotification(
            ZoneAddress(
                container: container, environment: "development", scope: "private", owner: client.user,
                zone: ZoneName(unchecked: zone)))
    }

    /// How many messages wait in a queue; nil when there is none of that name.
    fileprivate func messages(in queue: String) async throws -> Int? {
        try await AMQPChannelSession.with(try vhost.configuration()) { try await $0.status(ofQueue: queue) }?
            .messageCount
    }
}

extension ChildProcess {
    /// Waits until it has written a word on standard error.
    fileprivate func hasSaid(_ word: String) async throws {
        _ = try await eventually("'\(word)' on standard error") { errorText.contains(word) ? true : nil }
    }

    /// The records that the notifications printed tell of.
    fileprivate var recordNames: [String] { get throws { try outputText.recordNames } }
}

extension String {
    /// The records that notifications, one a line, tell of.
    fileprivate var recordNames: [String] {
        get throws {
            try split(separator: "\n").flatMap { line in
                let json = try JSONValue(parsing: String(line))
                return (json["records"]?.array ?? []).compactMap { $0["recordName"]?.string }
            }
        }
    }
}

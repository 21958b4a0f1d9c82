import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// A broker user that receives the notifications of some zones, and nothing else.
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
                // The command line works with the consumer's own broker URL.
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
                // The grant is revoked while the consumer has an open connection.
                let listening = AMQPConsumer(
                    configuration: consumer.configuration,
                    consumptions: [AMQPConsumption(queue: own, prefetch: 1)], logger: GrantedConsumer.logger)
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

/// Returns whether the broker refuses the operation in `body` because of a missing right.
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

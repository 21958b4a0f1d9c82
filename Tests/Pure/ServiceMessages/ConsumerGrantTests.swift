import AMQPClient
import CloudKitModel
import CloudKitWire
import ServiceMessages
import Testing

/// The notifications that a consumer may receive, by the rules of the service and of the broker.
struct ConsumerGrantTests {
    private func grant(_ zones: ConsumerGrant.Zones, owner: String = "_u") -> ConsumerGrant {
        ConsumerGrant(
            consumer: ConsumerName(unchecked: "reports"), brokerUser: "zonda-consumer-reports",
            container: "iCloud.org.example", environment: .development, scope: .private, owner: owner, zones: zones)
    }

    /// Returns a grant with a valid user as the owner.
    private func sound(_ zones: ConsumerGrant.Zones) -> ConsumerGrant {
        grant(zones, owner: "_00000000000000000000000000000001")
    }

    /// Names whose routing keys contain every character that has a special meaning in regular expressions.
    private static let names = [
        "Notes", "a.b", "a*b", "(a|b)", "[x]", "a+b?", "^a$", "{username}", "a\\b", "über", "_defaultZone", "a b",
        String(repeating: "long", count: 20), "#",
    ]

    @Test(arguments: names)
    func aNameGrantsItsZoneAndNoOther(name: String) throws {
        let grant = grant(.named([name]))
        for other in Self.names {
            let key = grant.key(ofZone: other)
            #expect(try matches(grant, key) == (other == name), "\(key)")
            #expect(grant.covers(key) == (other == name))
            #expect(grant.allowsBinding(key) == (other == name))
        }
    }

    @Test(arguments: [
        "#", "*", "zone.#", "zone.*.*.*.*.*", "zone.iCloud%2Eorg%2Eexample.development.private._u.*",
        "zone.iCloud%2Eorg%2Eexample.development.private._u.#", "zone.iCloud%2Eorg%2Eexample.development.private._u",
        "zone.iCloud%2Eorg%2Eexample.development.private._v.Notes",
        "zone.iCloud%2Eorg%2Eexample.production.private._u.Notes", "user.iCloud%2Eorg%2Eexample.development._u.s",
        "zone.iCloud%2Eorg%2Eexample.development.private._u.Notes.more",
        "xzone.iCloud%2Eorg%2Eexample.development.private._u.Notes",
    ])
    func patternsAndOthersZonesAreNotGranted(key: String) throws {
        let grant = grant(.named(["Notes", "Drafts"]))
        #expect(try !matches(grant, key))
        #expect(!grant.covers(key))
        #expect(!grant.allowsBinding(key))
    }

    @Test(arguments: [
        ("Notes", true), ("*", true), ("#", false), ("a.b", false), ("", false), ("*.#", false),
    ])
    func everyZoneOfADatabaseMayBeBoundWithOneStar(last: String, isAllowed: Bool) throws {
        let grant = grant(.all)
        let key = "zone.iCloud%2Eorg%2Eexample.development.private._u.\(last)"
        #expect(try matches(grant, key) == isAllowed)
        #expect(grant.allowsBinding(key) == isAllowed)
        #expect(try !matches(grant, key.replacing("_u", with: "_v")))
        #expect(!grant.covers(key.replacing("_u", with: "_v")))
    }

    @Test func noConsumersQueuesBeginWithAnothers() throws {
        let rights = BrokerRights.of(ConsumerName(unchecked: "a"))
        for (queue, isOwn) in [
            ("consumer.a.inbox", true), ("consumer.ab.inbox", false), ("consumer.a", false), ("consumer.b.a.", false),
            ("notifications.log", false), ("xconsumer.a.inbox", false), ("record.writes", false),
        ] {
            for resources in [rights.configure, rights.write, rights.read] {
                #expect(try queue.contains(Regex(resources.pattern)) == isOwn, "\(queue)")
            }
        }
        for exchange in [
            Exchange.requests, Exchange.admin, Exchange.internal, Exchange.notifications, "amq.default", "",
        ] {
            #expect(try !exchange.contains(Regex(rights.write.pattern)), "\(exchange)")
        }
    }

    @Test(arguments: ["", "a.b", "A", "a b", "ä", String(repeating: "a", count: 41), "a*"])
    func aNameIsPlain(name: String) {
        #expect(throws: ServerError.self) { try ConsumerName(validating: name) }
    }

    @Test func aGrantIsReadAsItIsWritten() throws {
        for grant in [sound(.all), sound(.named(["Notes", "über"]))] { #expect(try ConsumerGrant(grant.json) == grant) }
    }

    @Test(arguments: [
        (#"{"consumer":"a b"}"#, "consumer"), (#"{"brokerUser":null}"#, "brokerUser"),
        (#"{"container":""}"#, "container"),
        (#"{"environment":"test"}"#, "environment"), (#"{"database":"shared"}"#, "database"),
        (#"{"user":"bob"}"#, "user"),
        (#"{"zones":[]}"#, "zones"), (#"{"zones":[1]}"#, "zones"), (#"{"zones":["_mine"]}"#, "zones"),
        (#"{"allZones":true}"#, "allZones"),
    ])
    func whatIsWrongIsNamed(change: String, field: String) throws {
        let changes = try #require(try JSONValue(parsing: change).members)
        var members = try #require(sound(.named(["Notes"])).json.members)
        for change in changes {
            members.removeAll { $0.key == change.key }
            members.append(change)
        }
        let error = #expect(throws: ServerError.self) { try ConsumerGrant(.object(members)) }
        #expect(error?.field == field)
    }

    @Test func soManyZonesAndNoMore() throws {
        let names = (0...ConsumerGrant.maxZones).map { "Zone\($0)" }
        let error = #expect(throws: ServerError.self) { try ConsumerGrant(sound(.named(names)).json) }
        #expect(error?.limit == ConsumerGrant.maxZones)
        _ = try ConsumerGrant(sound(.named(Array(names.dropLast()))).json)
    }

    @Test func noQueueHasTwoPolicies() throws {
        let policies = BrokerPolicy.all()
        let named = [
            "notifications.log", "consumer.a.watch", "notifications.watch.1", Queue.deadLetters, Queue.dead(.record),
            Queue.subscriptionChanges(7), Queue.assetChanges, DelayedRequest.queue,
        ]
        for queue in named {
            let matching = try policies.filter { try queue.contains(Regex($0.pattern)) }
            #expect(matching.count == 1, "\(queue)")
        }
        for queue in Topology.all.queues.map(\.name) {
            #expect(try policies.filter { try queue.contains(Regex($0.pattern)) }.count <= 1, "\(queue)")
        }
    }

    private func matches(_ grant: ConsumerGrant, _ key: String) throws -> Bool {
        try key.contains(Regex(grant.bindingPattern))
    }
}

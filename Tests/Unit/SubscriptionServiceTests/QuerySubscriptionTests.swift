import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// Subscriptions of all kinds from their save to the notification, over real servers.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct QuerySubscriptionTests {
    private let zone = TestZone("Notes")

    /// Saves subscriptions and lends a lane that delivers the changes committed afterwards.
    private func with(
        _ operations: [JSONValue], database: String = "private",
        _ body: @escaping (LaneStack, RequestStack) async throws -> Void
    ) async throws {
        try await LaneStack.with { stack in
            let service = RequestStack(pool: stack.pool, record: stack.record)
            stack.record.make(zone)
            let saved = try await service.ask(
                .subscriptionsModify, as: zone, ["operations": .array(operations)],
                headers: [Header.database: .string(database)])
            #expect(saved["subscriptions"]?.array?.allSatisfy { $0["serverErrorCode"] == nil } == true, "\(saved)")
            try await body(stack, service)
        }
    }

    /// The users' messages when there are so many.
    private func told(_ stack: LaneStack, count: Int) async throws -> [JSONValue] {
        let deliveries = try await stack.notifications.wait(for: "\(count) users' notifications") { deliveries in
            let users = deliveries.filter { $0.routingKey.hasPrefix("user.") }
            return users.count >= count ? users : nil
        }
        return try deliveries.map { try JSONValue(parsing: $0.body) }
    }

    private func heard(_ bodies: [JSONValue]) -> [String] {
        bodies.compactMap { body in
            let subject = body["ck"]?["qry"] ?? body["ck"]?["fet"] ?? body["ck"]?["met"]
            guard let id = subject?["sid"]?.string else { return nil }
            return "\(id) \(subject?["rid"]?.string ?? "-")"
        }
    }

    @Test func aQueryFiresForWhatMatchesAndOnWhatItNames() async throws {
        try await with([
            .watch("inbox", filter: ["folder": "inbox"], on: ["create", "update"]),
            .watch("gone", filter: ["folder": "inbox"], on: ["delete"]),
            .watch("all", filter: [:], on: ["create"]),
            .watch("drafts", filter: ["folder": "drafts"], on: ["create"], more: ["zoneID": ["zoneName": "Other"]]),
            .watch("task", type: "Task", filter: ["folder": "inbox"], on: ["create"]),
        ]) { stack, _ in
            try await stack.withLane {
                try await stack.commit(
                    zone.event([
                        (.created, "a", ["folder": "inbox"]), (.created, "b", ["folder": "drafts"]),
                        (.updated, "c", ["folder": "inbox"]), (.deleted, "d", ["folder": "inbox"]),
                        (.deleted, "e", ["folder": "drafts"]), (.updated, "f", ["other": "inbox"]),
                    ]))
                _ = try await stack.heard(zone, upTo: 6)
                let bodies = try await told(stack, count: 5)
                #expect(Set(heard(bodies)) == ["inbox a", "all a", "all b", "inbox c", "gone d"])
                #expect(bodies.count == 5)
                #expect(Set(bodies.map { $0["id"] }).count == 5)
            }
        }
    }

    @Test func thePublicDatabasesQueriesAreEverybodys() async throws {
        var shared = TestZone("_defaultZone")
        shared.address.scope = "public"
        shared.address.owner = ZoneAddress.publicOwner
        try await with([.watch("mine", type: "Own", filter: [:], on: ["create"])], database: "public") {
            stack, service in
            var other = zone
            other.address.owner = TestZone.newUser()
            try await service.ask(
                .subscriptionsModify, as: other,
                ["operations": [.watch("other", type: "Own", filter: [:], on: ["create"])]],
                headers: [Header.database: "public"])
            try await stack.withLane {
                try await stack.commit(
                    shared.event(
                        [(.created, "a", [:]), (.created, "b", [:])], type: "Own", by: zone.address.owner))
                try await stack.commit(
                    shared.event([(.created, "c", [:])], from: 3, type: "Own", by: other.address.owner))
                _ = try await stack.heard(shared, upTo: 3)
                let bodies = try await told(stack, count: 3)
                // Each may read own records only.
                #expect(heard(bodies) == ["mine a", "mine b", "other c"])
                #expect(bodies[0]["ck"]?["qry"]?["dbs"] == 1)
            }
        }
    }

    @Test func whoMayReadATypeNoMoreHearsNothingOfIt() async throws {
        try await with([
            .watch("notes", filter: [:], on: ["create"]), .watch("tasks", type: "Task", filter: [:], on: ["create"]),
        ]) { stack, _ in
            try await stack.withLane {
                var events = [
                    zone.event([(.created, "a", [:])]), zone.event([(.created, "t", [:])], from: 2, type: "Task"),
                ]
                let later = stack.record.deny("Note")
                events += [
                    zone.event([(.created, "b", [:])], from: 3),
                    zone.event([(.created, "u", [:])], from: 4, type: "Task"),
                    zone.event([(.created, "c", [:])], from: 5),
                ]
                for index in events.indices { events[index].rights = index < 2 ? 1 : later }
                for event in events { try await stack.commit(event) }
                _ = try await stack.heard(zone, upTo: 5)
                #expect(heard(try await told(stack, count: 3)) == ["notes a", "tasks t", "tasks u"])
            }
            // Nobody is asked again before the rights change again.
            let rights = try await stack.pool.withConnection {
                try await $0.query("select denied, rights from subscription.subscription order by subscription_id")
            }
            #expect(rights.map { $0.bool(0) } == [true, false])
            #expect(rights.map { $0.int64(1) } == [2, 2])
        }
    }

    /// A record service that ends answers at once: it is asked at intervals, and nothing is lost.
    @Test func rightsAreAskedForAtIntervalsUntilSomebodyKnows() async throws {
        try await with([.watch("notes", filter: [:], on: ["create"])]) { stack, _ in
            let clock = CountingClock()
            try await stack.withLane(rightsClock: clock) {
                stack.record.end(times: 5)
                var event = zone.event([(.created, "a", [:])])
                event.rights = 2
                try await stack.commit(event)
                #expect(heard(try await told(stack, count: 1)) == ["notes a"])
                // After three answers other zones get their turn before the fourth.
                #expect(clock.sleeps == 4)
            }
        }
    }

    @Test func aDatabaseIsEveryCustomZoneAndTypesNarrow() async throws {
        var operations: [JSONValue] = [
            .operation(["subscriptionID": "all", "subscriptionType": "database"]),
            .operation(["subscriptionID": "tasks", "subscriptionType": "database", "recordType": "Task"]),
            .operation([
                "subscriptionID": "zone", "subscriptionType": "zone", "zoneID": ["zoneName": "Notes"],
                "recordType": "Task",
            ]),
        ]
        operations.append(.create("notes", zone: "Notes"))
        try await with(operations) { stack, _ in
            var (drafts, standard) = (TestZone("Drafts"), TestZone("_defaultZone"))
            drafts.address.owner = zone.address.owner
            standard.address.owner = zone.address.owner
            try await stack.withLane {
                try await stack.commit(standard.event(1...1))
                _ = try await stack.heard(standard, upTo: 1)
                try await stack.commit(drafts.event(1...1))
                _ = try await stack.heard(drafts, upTo: 1)
                try await stack.commit(zone.event([(.created, "t", [:])], type: "Task"))
                _ = try await stack.heard(zone, upTo: 1)
                let bodies = try await told(stack, count: 5)
                #expect(heard(bodies).sorted() == ["all -", "all -", "notes -", "tasks -", "zone -"])
                var deletion = zone.event(2...2)
                (deletion.isDeletion, deletion.records) = (true, ChangedRecord.json([]))
                try await stack.commit(deletion)
                _ = try await stack.heard(zone, upTo: 2)
                let ends = try await told(stack, count: 9).dropFirst(5)
                #expect(heard(Array(ends)).sorted() == ["all -", "notes -", "tasks -", "zone -"])
                #expect(ends.allSatisfy { $0["deleted"] == true })
                let of = bodies.compactMap { $0["ck"]?["met"] }.filter { $0["sid"] == "all" }
                #expect(of.map { $0["zid"] } == ["Drafts", "Notes"])
            }
        }
    }

    @Test func allWhomARecordConcernsAreToldHoweverMany() async throws {
        try await with([.watch("a", filter: [:], on: ["create"])]) { stack, _ in
            let count = 2 * MatchingTable.pageSize + 50
            _ = try await stack.pool.withConnection { connection in
                try await connection.query(
                    """
                    insert into subscription.subscription (environment, scope, user_name, subscription_id, zone_owner,
                        zone_name, kind, record_type, query, fires_on, predicate, term_key, term, snapshot)
                    select environment, scope, user_name, subscription_id || n, zone_owner, zone_name, kind, record_type,
                        query, fires_on, predicate, term_key, term, snapshot
                    from subscription.subscription, generate_series(2, $1) n
                    """, [.int4(Int32(count))])
            }
            try await stack.withLane {
                try await stack.commit(zone.event([(.created, "r", [:])]))
                let bodies = try await told(stack, count: count)
                #expect(Set(heard(bodies)).count == count)
                #expect(bodies.count == count)
            }
        }
    }

    // MARK: Once

    @Test func onceIsOnceAndThenItIsGone() async throws {
        try await with([.watch("once", filter: [:], on: ["create"], more: ["firesOnce": true])]) { stack, service in
            try await stack.withLane {
                try await stack.commit(zone.event([(.created, "a", [:]), (.created, "b", [:])]))
                try await stack.commit(zone.event([(.created, "c", [:])], from: 3))
                _ = try await stack.heard(zone, upTo: 3)
                try await stack.waitUntilSettled(zone, at: 3)
            }
            let bodies = try await told(stack, count: 1)
            #expect(heard(bodies) == ["once a"])
            let list = try await service.ask(.subscriptionsList, as: zone)
            #expect(list["subscriptions"] == [])
            try await FiringTable(pool: stack.pool).removeFired()
            let left = try await stack.pool.withConnection {
                try await $0.query("select from subscription.subscription")
            }
            #expect(left.isEmpty)
        }
    }

    /// The service ends when the broker has the notification and nobody knows: the next one tells the same, and nothing
    /// else.
    @Test func afterACrashOnceIsARepeat() async throws {
        try await with([.watch("once", filter: [:], on: ["create"], more: ["firesOnce": true])]) { stack, service in
            try await stack.withLane(failing: [1]) {
                try await stack.commit(zone.event([(.created, "a", [:])]))
                _ = try await told(stack, count: 1)
            }
            try await stack.withLane {
                try await stack.commit(zone.event([(.created, "b", [:])], from: 2))
                _ = try await stack.heard(zone, upTo: 2)
                let bodies = try await told(stack, count: 2)
                #expect(heard(bodies) == ["once a", "once a"])
                #expect(Set(bodies.map { $0["id"] }).count == 1)
                try await stack.waitUntilSettled(zone, at: 2)
            }
            // Saved again it is another one, and fires again.
            try await service.ask(
                .subscriptionsModify, as: zone,
                ["operations": [.watch("once", filter: [:], on: ["create"], more: ["firesOnce": true])]])
            try await stack.withLane {
                try await stack.commit(zone.event([(.created, "c", [:])], from: 3))
                _ = try await stack.heard(zone, upTo: 3)
                let bodies = try await told(stack, count: 3)
                #expect(heard(bodies).last == "once c")
            }
        }
    }

    // MARK: What a notification counts, and whom it reaches

    @Test func badgesCountUpAndTheOriginatingClientIsLeftOut() async throws {
        try await with([.watch("b", filter: [:], on: ["create"], more: ["notificationInfo": ["shouldBadge": true]])]) {
            stack, service in
            let set = try await service.ask(.badgesSet, as: zone, ["badge": 3])
            #expect(set == ["badge": 3])
            for name in ["one", "two"] {
                _ = try await stack.pool.withConnection { connection in
                    try await connection.query(
                        """
                        insert into subscription.client (name, environment, user_name, client_id, apns_environment,
                            expires_at)
                        select $1, environment, user_name, $2, 'development', now() + interval '1 hour'
                        from subscription.subscription
                        """, [.text(name), .text("client-\(name)")])
                }
            }
            let configuration = try AMQPConfiguration(url: try TestEnvironment.required().amqpURL)
            try await TestQueue.withBinding(to: stack.exchange, "client.one", configuration) { one in
                try await TestQueue.withBinding(to: stack.exchange, "client.two", configuration) { two in
                    try await stack.withLane {
                        try await stack.commit(
                            zone.event([(.created, "a", [:]), (.created, "b", [:])], client: "client-one"))
                        let bodies = try await told(stack, count: 2)
                        #expect(bodies.map { $0["aps"]?["badge"] } == [4, 5])
                        try await stack.commit(zone.event([(.created, "c", [:])], from: 3))
                        let ofTwo = try await two.wait(for: "three") { $0.count == 3 ? $0 : nil }
                        #expect(ofTwo.allSatisfy { $0.properties.headers["BCC"] == nil })
                        let ofOne = try await one.wait(for: "the other's") { $0.count == 1 ? $0 : nil }
                        // Another user's client may be called the same.
                        var foreign = zone.event([(.created, "d", [:])], from: 4, client: "client-one")
                        foreign.user = TestZone.newUser()
                        try await stack.commit(foreign)
                        _ = try await one.wait(for: "the other user's") { $0.count == 2 ? $0 : nil }
                        let last = try JSONValue(parsing: ofOne[0].body)
                        #expect(last["ck"]?["qry"]?["rid"] == "c")
                        #expect(last["aps"]?["badge"] == 6)
                    }
                }
            }
        }
    }

    @Test(arguments: [["badge": -1], ["badge": "3"], ["badge": 4_294_967_296], [:]] as [JSONValue])
    func aBadgeIsAWholeNumber(body: JSONValue) async throws {
        try await withTestPool { pool in
            let reply = try await RequestStack(pool: pool, record: FakeRecordService()).ask(
                .badgesSet, as: zone, body)
            #expect(reply["serverErrorCode"] == "BAD_REQUEST")
            #expect(reply["field"] == "badge")
        }
    }

    // MARK: What operators see

    @Test func operatorsSeeWhatBecameOfNotifications() async throws {
        try await with([
            .watch("a", filter: [:], on: ["create"]), .watch("b", filter: [:], on: ["delete"]),
        ]) { stack, service in
            let journal = try await stack.withLane {
                try await stack.commit(zone.event([(.created, "a", [:]), (.created, "b", [:])]))
                _ = try await told(stack, count: 2)
                try await stack.waitUntilSettled(zone, at: 2)
                return stack.journal
            }
            try await journal.runOnce()
            let page = try await service.ask(
                .subscriptionsStates, as: zone, ["user": .string(zone.address.owner), "limit": 1])
            let first = try #require(page["subscriptions"]?[0])
            #expect(first["database"] == "private")
            #expect(first["subscription"]?["subscriptionID"] == "a")
            #expect(first["state"]?["delivered"] == 2)
            #expect(first["state"]?["refused"] == 0)
            #expect(first["state"]?["lastSeq"] == 2)
            #expect(first["state"]?["lastZone"] == "Notes")
            #expect(first["state"]?["isActive"] == true)
            let next = try await service.ask(
                .subscriptionsStates, as: zone,
                ["user": .string(zone.address.owner), "limit": 1, "after": page["after"] ?? .null])
            #expect(next["subscriptions"]?[0]?["subscription"]?["subscriptionID"] == "b")
            #expect(next["subscriptions"]?[0]?["state"]?["lastSeq"] == nil)
            #expect(next["after"] == nil)
            let wrong = try await service.ask(.subscriptionsStates, as: zone, ["database": "secret"])
            #expect(wrong["field"] == "database")
        }
    }

    @Test func aTestTellsWhereItWent() async throws {
        try await with([.watch("a", filter: [:], on: ["create"])]) { _, service in
            let whose: [JSONValue.Member] = [
                JSONValue.Member("container", "com.example.tests"), JSONValue.Member("environment", "development"),
                JSONValue.Member("database", "private"), JSONValue.Member("user", .string(zone.address.owner)),
            ]
            let sent = try await service.ask(
                .subscriptionsTest, as: zone, .object(whose + [JSONValue.Member("subscriptionID", "a")]))
            #expect(sent["routed"] == true)
            #expect(sent["exchange"] == "zonda.notifications")
            #expect(
                sent["routingKey"]?.string
                    == "user.com%2Eexample%2Etests.development.\(zone.address.owner).a")
            #expect(sent["clients"] == [])
            let none = try await service.ask(
                .subscriptionsTest, as: zone, .object(whose + [JSONValue.Member("subscriptionID", "z")]))
            #expect(none["reasonCode"] == "subscription_not_found")
            let incomplete = try await service.ask(.subscriptionsTest, as: zone, .object(whose))
            #expect(incomplete["field"] == "subscriptionID")
        }
    }

    // MARK: Saving

    @Test func queriesAreListedAsTheyWereSaved() async throws {
        let save = JSONValue.watch(
            "a", filter: ["folder": "inbox"], on: ["update", "create"], more: ["zoneWide": false, "firesOnce": true])
        try await with([save]) { _, service in
            let list = try await service.ask(.subscriptionsList, as: zone)
            let listed = try #require(list["subscriptions"]?[0])
            #expect(listed["subscriptionType"] == "query")
            #expect(listed["query"]?["recordType"] == "Note")
            #expect(listed["query"]?["filterBy"]?[0]?["fieldValue"]?["value"] == "inbox")
            #expect(listed["firesOn"] == ["create", "update"])
            #expect(listed["firesOnce"] == true)
            #expect(listed["zoneWide"] == false)
            #expect(listed["zoneID"]?["zoneName"] == "_defaultZone")
            let refused = try await service.ask(
                .subscriptionsModify, as: zone,
                ["operations": [.watch("s", type: "Secret", filter: [:], on: ["create"]), save]])
            #expect(refused["subscriptions"]?[0]?["reasonCode"] == "record_type_not_found")
            #expect(refused["subscriptions"]?[1]?["serverErrorCode"] == nil)
        }
    }
}

extension JSONValue {
    /// An operation that creates a subscription.
    static func operation(_ subscription: JSONValue) -> JSONValue {
        ["operationType": "create", "subscription": subscription]
    }

    /// An operation that creates a query subscription on equalities.
    static func watch(
        _ id: String, type: String = "Note", filter: [String: String], on events: [String], more: JSONValue = [:]
    ) -> JSONValue {
        let filters = filter.map { name, value -> JSONValue in
            [
                "fieldName": .string(name), "comparator": "EQUALS",
                "fieldValue": ["value": .string(value), "type": "STRING"],
            ]
        }
        let subscription: [Member] = [
            Member("subscriptionID", .string(id)), Member("subscriptionType", "query"),
            Member("query", ["recordType": .string(type), "filterBy": .array(filters)]),
            Member("firesOn", .array(events.map { .string($0) })),
        ]
        return operation(.object(subscription + (more.members ?? [])))
    }
}

extension TestZone {
    /// The change event of a transaction that changed records of a type, with their values.
    func event(
        _ changes: [(ChangedRecord.Kind, String, [String: String])], from first: Int64 = 1, type: String = "Note",
        by user: String? = nil, client: String? = nil
    ) -> ChangeEvent {
        let records = changes.enumerated().map { index, change in
            let fields = change.2.map { JSONValue.Member($0, ["value": .string($1), "type": "STRING"]) }
            let stamp: JSONValue = ["timestamp": 1, "userRecordName": .string(user ?? address.owner)]
            return ChangedRecord(
                name: RecordName(unchecked: change.1), type: type, seq: first + Int64(index), kind: change.0,
                record: [
                    "recordName": .string(change.1), "fields": .object(fields), "created": stamp, "modified": stamp,
                ])
        }
        var event = event(first...(first + Int64(changes.count) - 1), client: client)
        event.records = ChangedRecord.json(records)
        return event
    }
}

import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import ServiceRuntime
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// Participants whose notification takes long: there are many of them, they have many subscriptions, or the record
/// service does not say who they are.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct LargeAudienceTests {
    private let zone = TestZone("Family")

    private static let database: JSONValue = [
        "operationType": "create", "subscription": ["subscriptionID": "all", "subscriptionType": "database"],
    ]

    /// Passes a lane to `body`, with participants of share 7 and the owner, who each have a database subscription.
    private func with(users count: Int, _ body: @escaping (LaneStack, [String]) async throws -> Void) async throws {
        try await LaneStack.with { stack in
            let service = RequestStack(pool: stack.pool, record: stack.record)
            let users = (0..<count).map { _ in TestZone("-") }.sorted { $0.address.owner < $1.address.owner }
            for user in users {
                try await service.ask(
                    .subscriptionsModify, as: user, ["operations": [Self.database]],
                    headers: [Header.database: "shared"])
                stack.record.join(user.address.owner, share: 7, since: 1)
            }
            try await service.ask(.subscriptionsModify, as: zone, ["operations": [Self.database]])
            try await body(stack, users.map(\.address.owner))
        }
    }

    /// Gives a user more subscriptions to the shared database.
    private func copy(_ stack: LaneStack, of user: String, times count: Int) async throws {
        _ = try await stack.pool.withConnection { connection in
            try await connection.query(
                """
                insert into subscription.subscription (environment, scope, user_name, subscription_id, zone_owner,
                    zone_name, kind, snapshot)
                select environment, scope, user_name, subscription_id || lpad(n::text, 4, '0'), zone_owner, zone_name,
                    kind, snapshot
                from subscription.subscription, generate_series(1, $1) n where scope = 3 and user_name = $2
                """, [.int4(Int32(count)), .text(user)])
        }
    }

    private func event(
        _ records: [String] = ["r"], from first: Int64, isShared: Bool = true, version: Int64? = 1,
        in other: TestZone? = nil
    ) -> ChangeEvent {
        var event = (other ?? zone).event(first...(first + Int64(records.count) - 1))
        event.records = ChangedRecord.json(
            records.enumerated().map { index, name in
                ChangedRecord(
                    name: RecordName(unchecked: name), type: "Note", seq: first + Int64(index), kind: .updated,
                    shares: isShared ? ChangedRecord.Shares(before: 7, after: 7) : nil)
            })
        event.shares = version.flatMap { isShared ? ChangeEvent.Shares(versions: [7: $0]) : nil }
        return event
    }

    /// Waits until `isDone` returns true for the number of notifications of each user, and returns these numbers.
    private func counts(
        _ stack: LaneStack, _ what: String, _ isDone: @escaping @Sendable ([String: Int]) -> Bool
    ) async throws -> [String: Int] {
        try await stack.notifications.wait(for: what) { deliveries in
            var counts: [String: Int] = [:]
            for user in deliveries.compactMap({ $0.properties.headers.string(Header.user) }) {
                counts[user, default: 0] += 1
            }
            return isDone(counts) ? counts : nil
        }
    }

    @Test func theOwnerHearsWhileTheParticipantsAreUnknown() async throws {
        let other = TestZone("Other", user: zone.address.owner)
        let owner = zone.address.owner
        try await with(users: 1) { stack, users in
            stack.record.refuseAudiences(true)
            try await stack.withLane {
                try await stack.commit(event(from: 1, isShared: false))
                try await stack.commit(event(from: 2))
                _ = try await stack.heard(zone, upTo: 2)
                // The next changes of the zone are announced, too.
                for seq in 3...8 as ClosedRange<Int64> {
                    try await stack.commit(event(from: seq))
                    _ = try await stack.heard(zone, upTo: seq)
                }
                try await stack.commit(other.event(1...9))
                _ = try await stack.heard(other, upTo: 9)
                let waiting = try await counts(stack, "the owner's notifications") { $0[owner] == 9 }
                #expect(waiting[users[0]] == nil)
                stack.record.refuseAudiences(false)
                _ = try await counts(stack, "the participant's notifications") { $0[users[0]] == 7 }
                try await stack.waitUntilHeard(zone, upTo: 8)
                let all = try await counts(stack, "all notifications") { _ in true }
                #expect(all == [owner: 9, users[0]: 7])
                #expect(stack.notifications.elements.spans(of: zone) == (1...8).map { $0...$0 })
            }
        }
    }

    /// There are more zones than turns that notify participants at the same time.
    @Test func noOwnerWaitsWhileTheParticipantsOfManyZonesAreUnknown() async throws {
        let zones = (0..<6).map { TestZone("Family\($0)") }
        try await with(users: 1) { stack, users in
            stack.record.holdsAudiences = true
            try await stack.withLane {
                for zone in zones { try await stack.commit(event(from: 1, in: zone)) }
                for zone in zones { _ = try await stack.heard(zone, upTo: 1, within: .seconds(4)) }
                let waiting = try await counts(stack, "the zones' notifications") { _ in true }
                #expect(waiting[users[0]] == nil)
                stack.record.releaseAudiences()
                for zone in zones { try await stack.waitUntilHeard(zone, upTo: 1) }
            }
            #expect(try await counts(stack, "all notifications") { _ in true } == [users[0]: zones.count])
            for zone in zones { #expect(stack.notifications.elements.spans(of: zone) == [1...1]) }
        }
    }

    @Test func theOwnerHearsNoRepeatsAfterADefectInThePartOfTheParticipants() async throws {
        let owner = zone.address.owner
        try await with(users: 1) { stack, users in
            // A subscription without a snapshot is updated when it is read, which fails.
            let statements = [
                "update subscription.subscription set snapshot = null where scope = 3",
                "create function fail() returns trigger language plpgsql as $$ begin raise 'ordered'; end $$",
                """
                create trigger fail before update on subscription.subscription for each row when (new.scope = 3)
                execute function fail()
                """,
            ]
            for statement in statements {
                _ = try await stack.pool.withConnection { try await $0.query(PostgresStatement(statement), []) }
            }
            try await stack.withLane {
                try await stack.commit(event(from: 1))
                _ = try await stack.log.wait(for: "two failures") { messages in
                    messages.count { $0.contains("failed") } >= 2 ? true : nil
                }
                _ = try await stack.pool.withConnection { connection in
                    try await connection.query("drop trigger fail on subscription.subscription", [])
                }
                try await stack.waitUntilHeard(zone, upTo: 1)
            }
            #expect(try await counts(stack, "all notifications") { _ in true } == [owner: 1, users[0]: 1])
            #expect(stack.notifications.elements.spans(of: zone) == [1...1])
        }
    }

    /// The fake record service returns two participants at a time.
    @Test func aTurnEndsWithThePageInWhichItsTimeIsSpent() async throws {
        try await with(users: 7) { stack, users in
            try await stack.withLane(turnTime: .zero) {
                try await stack.commit(event(from: 1, version: nil))
                try await stack.waitUntilHeard(zone, upTo: 1)
            }
            let all = try await counts(stack, "all notifications") { _ in true }
            #expect(all == Dictionary(uniqueKeysWithValues: (users + [zone.address.owner]).map { ($0, 1) }))
            // The next page might contain more shares of a page's last user, so each page but the last completes one
            // user.
            #expect(stack.metrics.value(of: SubscriptionMetrics.costlyDeliveries) == 6)
        }
    }

    /// The fake record service returns two participants at a time.
    @Test func anAudienceThatIsInterruptedIsContinued() async throws {
        let owner = zone.address.owner
        try await with(users: 7) { stack, users in
            stack.record.refuseAudiences(true, afterUsers: 4)
            try await stack.withLane {
                try await stack.commit(event(from: 1, version: nil))
                try await stack.commit(event(from: 2, version: nil))
                let first = try await counts(stack, "the first participants' notifications") { counts in
                    users.prefix(4).allSatisfy { counts[$0] != nil }
                }
                #expect(users.dropFirst(4).allSatisfy { first[$0] == nil })
                stack.record.refuseAudiences(false)
                _ = try await counts(stack, "all notifications") { counts in users.allSatisfy { counts[$0] == 2 } }
                try await stack.waitUntilHeard(zone, upTo: 2)
            }
            let all = try await counts(stack, "all notifications") { _ in true }
            #expect(all == Dictionary(uniqueKeysWithValues: (users + [owner]).map { ($0, 2) }))
        }
    }

    @Test func aParticipantWithManySubscriptionsDelaysNoOtherZone() async throws {
        let other = TestZone("Other")
        try await with(users: 2) { stack, users in
            try await copy(stack, of: users[0], times: 150)
            try await stack.withLane {
                // The participants joined with the first change.
                try await stack.commit(event(from: 1, isShared: false))
                // Each notification is so large that they exceed the budget of a turn.
                let names = (0..<500).map { String(repeating: "n", count: 240) + "\($0)" }
                try await stack.commit(event(names, from: 2))
                for seq in 1...5 as ClosedRange<Int64> {
                    try await stack.commit(other.event(seq...seq))
                    _ = try await stack.heard(other, upTo: seq)
                }
                try await stack.commit(event(from: 502))
                let all = try await counts(stack, "all notifications") { $0[users[0]] == 302 && $0[users[1]] == 2 }
                #expect(all[zone.address.owner] == 3)
                try await stack.waitUntilHeard(zone, upTo: 502)
                #expect(try await counts(stack, "all notifications") { _ in true } == all)
            }
            // Each of the user's subscriptions has fired once for each change, in their order.
            var heard: [JSONValue: [Int]] = [:]
            for delivery in stack.notifications.elements
            where delivery.properties.headers.string(Header.user) == users[0] {
                let body = try JSONValue(parsing: delivery.body)
                let count = body["records"]?.array?.count ?? 0
                heard[body["ck"]?["met"]?["sid"] ?? .null, default: []].append(count)
            }
            #expect(heard.count == 151)
            #expect(Set(heard.values) == [[500, 1]])
            #expect(stack.metrics.value(of: SubscriptionMetrics.costlyDeliveries) > 1)
        }
    }

    @Test func whatWasBegunIsRepeatedByTheNextInstance() async throws {
        try await with(users: 5) { stack, users in
            stack.record.refuseAudiences(true, afterUsers: 3)
            try await stack.withLane {
                try await stack.commit(event(from: 1))
                _ = try await counts(stack, "the first participants' notifications") { $0[users[1]] == 1 }
            }
            stack.record.refuseAudiences(false)
            try await stack.withLane {
                _ = try await counts(stack, "all notifications") { counts in users.allSatisfy { counts[$0] != nil } }
                try await stack.waitUntilHeard(zone, upTo: 1)
            }
            // Repeats have the ids of the first notifications.
            let notifications = stack.notifications.elements.filter { $0.routingKey != "mark" }
            let ids = Set(notifications.compactMap(\.properties.messageID))
            #expect(ids.count == users.count + 2)
        }
    }
}

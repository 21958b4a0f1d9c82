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

/// Participants of shares hear of changes in other users' zones by database subscriptions in their shared databases.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct SharedChangeTests {
    private let zone = TestZone("Family")
    private let ann = TestZone("-")
    private let bob = TestZone("-")
    private let cat = TestZone("-")

    private static let database: JSONValue = [
        "operationType": "create", "subscription": ["subscriptionID": "all", "subscriptionType": "database"],
    ]

    /// Saves a database subscription in the shared database of each user, and one of the owner in the private database.
    private func with(_ users: TestZone..., body: @escaping (LaneStack, RequestStack) async throws -> Void) async throws
    {
        try await LaneStack.with { stack in
            let service = RequestStack(pool: stack.pool, record: stack.record)
            for user in users {
                let saved = try await service.ask(
                    .subscriptionsModify, as: user, ["operations": [Self.database]],
                    headers: [Header.database: "shared"])
                #expect(saved["subscriptions"]?[0]?["serverErrorCode"] == nil, "\(saved)")
            }
            try await service.ask(.subscriptionsModify, as: zone, ["operations": [Self.database]])
            try await body(stack, service)
        }
    }

    private func event(
        _ changes: [(String, ChangedRecord.Kind, ChangedRecord.Shares?)], from first: Int64 = 1,
        versions: [Int64: Int64] = [:], zone zoneShare: Int64? = nil, by user: String? = nil
    ) -> ChangeEvent {
        let records = changes.enumerated().map { index, change in
            ChangedRecord(
                name: RecordName(unchecked: change.0), type: "Note", seq: first + Int64(index), kind: change.1,
                shares: change.2)
        }
        var event = zone.event(first...(first + Int64(changes.count) - 1), client: "phone")
        event.records = ChangedRecord.json(records)
        event.shares = ChangeEvent.Shares(versions: versions, zone: zoneShare)
        event.user = user ?? zone.address.owner
        return event
    }

    private func share(_ before: Int64?, _ after: Int64?, movesBelow: Bool = false) -> ChangedRecord.Shares? {
        ChangedRecord.Shares(before: before, after: after, movesBelow: movesBelow)
    }

    /// Waits until everyone has been notified of a change, and returns what each participant has heard until then: the
    /// records with a sign for their change, or `all` if the notification names none.
    private func heard(_ stack: LaneStack, upTo seq: Int64) async throws -> [String: [String]] {
        try await stack.waitUntilHeard(zone, upTo: seq)
        let deliveries = stack.notifications.elements
        var heard: [String: [String]] = [:]
        for delivery in deliveries where delivery.routingKey.hasPrefix("user.") {
            let body = try JSONValue(parsing: delivery.body)
            let signs = ["created": "+", "updated": "", "deleted": "-"]
            let names = body["records"]?.array?.map {
                (signs[$0["change"]?.string ?? ""] ?? "?") + ($0["recordName"]?.string ?? "?")
            }
            heard[body["ck"]?["ckuserid"]?.string ?? "?", default: []].append(names?.joined(separator: " ") ?? "all")
        }
        heard[zone.address.owner] = nil
        return heard
    }

    /// The users of the test by name.
    private func named(_ heard: [String: [String]]) -> [String: [String]] {
        let names = [ann.address.owner: "ann", bob.address.owner: "bob", cat.address.owner: "cat"]
        return Dictionary(uniqueKeysWithValues: heard.map { (names[$0.key] ?? $0.key, $0.value) })
    }

    @Test func participantsHearWhatTheyMaySeeAndNothingOfTheOwners() async throws {
        try await with(ann, bob) { stack, _ in
            stack.record.join(ann.address.owner, share: 7, since: 3)
            try await stack.withLane {
                try await stack.commit(
                    event(
                        [
                            ("hidden", .created, nil), ("seen", .updated, share(7, 7)),
                            ("gone", .deleted, share(7, nil)),
                        ],
                        from: 1, versions: [7: 1]))
                // The cursor begins before change 3, by which the participant joined.
                try await stack.commit(event([("secret", .created, nil)], from: 4))
                try await stack.commit(event([("next", .created, share(nil, 7))], from: 5, versions: [7: 1]))
                let heard = named(try await heard(stack, upTo: 5))
                #expect(heard == ["ann": ["all", "+next"]])
            }
            let deliveries = try await stack.notifications.wait(for: "all notifications") { $0 }
            let last = try #require(
                deliveries.last { $0.properties.headers.string(Header.user) == ann.address.owner })
            let body = try JSONValue(parsing: last.body)
            #expect(body["ck"]?["met"]?["dbs"] == 3 && body["ck"]?["met"]?["sid"] == "all")
            #expect(body["ck"]?["met"]?["zid"] == "Family")
            #expect(body["ck"]?["met"]?["zoid"] == .string(zone.address.owner))
            #expect(body["scope"] == "shared" && body["owner"] == .string(zone.address.owner))
            for key in ["syncToken", "fromSeq", "toSeq", "incarnation"] { #expect(body[key] == nil, "\(key)") }
            for header in [Header.client, Header.trace] { #expect(last.properties.headers[header] == nil, "\(header)") }
        }
    }

    @Test func eachAudienceHearsOfAMovedRecordAsItSeesIt() async throws {
        try await with(ann, bob, cat) { stack, _ in
            stack.record.join(ann.address.owner, share: 7, since: 1)
            stack.record.join(bob.address.owner, share: 8, since: 1)
            for share in [7, 8] as [Int64] { stack.record.join(cat.address.owner, share: share, since: 1) }
            try await stack.withLane {
                try await stack.commit(event([("a", .created, nil)]))
                try await stack.commit(event([("a", .updated, share(7, 8))], from: 2, versions: [7: 1, 8: 1]))
                try await stack.commit(
                    event([("b", .updated, share(7, nil, movesBelow: true))], from: 3, versions: [7: 1]))
                let heard = named(try await heard(stack, upTo: 3))
                #expect(heard == ["ann": ["-a", "all"], "bob": ["+a"], "cat": ["a", "all"]])
            }
        }
    }

    @Test func theRemovedHearOfTheRemovalAndOfNothingAfterIt() async throws {
        try await with(ann, bob) { stack, _ in
            stack.record.join(ann.address.owner, share: 7, since: 1)
            stack.record.join(bob.address.owner, share: 7, since: 1)
            try await stack.withLane {
                try await stack.commit(event([("x", .created, nil)]))
                try await stack.commit(event([("a", .updated, share(7, 7))], from: 2, versions: [7: 1]))
                _ = try await heard(stack, upTo: 2)
                stack.record.join(bob.address.owner, share: 7, since: 1, until: 3)
                try await stack.commit(event([("share", .updated, share(7, 7))], from: 3, versions: [7: 2]))
                try await stack.commit(event([("a", .updated, share(7, 7))], from: 4, versions: [7: 2]))
                let heard = named(try await heard(stack, upTo: 4))
                #expect(heard == ["ann": ["a", "share", "a"], "bob": ["a", "all"]])
            }
            // One question for each version of the audience.
            #expect(stack.record.audienceQuestions == 2)
        }
    }

    @Test func changesThatPrecedeAnAcceptanceAreNotHeard() async throws {
        try await with(ann) { stack, _ in
            stack.record.join(ann.address.owner, share: 7, since: 5)
            try await stack.withLane {
                // The event names no version, as one that was read from the log.
                try await stack.commit(event([("x", .created, nil), ("a", .created, share(nil, 7))]))
                try await stack.commit(event([("a", .updated, share(7, 7)), ("b", .updated, nil)], from: 3))
                try await stack.commit(event([("share", .updated, share(7, 7))], from: 5))
                try await stack.commit(event([("a", .updated, share(7, 7))], from: 6))
                let heard = named(try await heard(stack, upTo: 6))
                #expect(heard == ["ann": ["all", "a"]])
            }
        }
    }

    @Test func allParticipantsHearOfAZoneThatIsSharedAsAWhole() async throws {
        try await with(ann, bob) { stack, _ in
            stack.record.join(ann.address.owner, share: 7, since: 1)
            stack.record.join(bob.address.owner, share: 7, since: 2)
            try await stack.withLane {
                try await stack.commit(event([("x", .created, nil), ("y", .created, nil)]))
                try await stack.commit(
                    event([("a", .updated, nil), ("b", .created, nil)], from: 3, versions: [7: 4], zone: 7))
                var deletion = zone.event(5...5)
                (deletion.records, deletion.isDeletion) = (Array("[]".utf8), true)
                deletion.shares = ChangeEvent.Shares(isAll: true)
                try await stack.commit(deletion)
                let heard = named(try await heard(stack, upTo: 5))
                #expect(heard == ["ann": ["a +b", "all"], "bob": ["a +b", "all"]])
            }
        }
    }

    @Test func mergedChangesReachTheSharesThatTheyTouched() async throws {
        try await with(ann, bob) { stack, _ in
            stack.record.join(ann.address.owner, share: 7, since: 1)
            stack.record.join(bob.address.owner, share: 8, since: 1)
            try await stack.withLane {
                var merged = event([("a", .updated, nil), ("b", .updated, nil)])
                merged.isMerged = true
                merged.shares = ChangeEvent.Shares(unlisted: [7])
                try await stack.commit(merged)
                #expect(named(try await heard(stack, upTo: 2)) == ["ann": ["all"]])
                // The last of the merged changes might be hidden from the participant, so its time is not stated.
                let delivery = try #require(
                    stack.notifications.elements.last {
                        $0.properties.headers.string(Header.user) == ann.address.owner
                    })
                let at = try #require(try JSONValue(parsing: delivery.body)["at"]?.int)
                #expect(at != merged.at && at / 1000 == delivery.properties.timestamp.map(Int64.init))
            }
        }
    }

    @Test func whoLostAccessBeforeAMergedDeletionIsNotToldOfTheDeletion() async throws {
        try await with(ann, bob) { stack, _ in
            stack.record.join(ann.address.owner, share: 7, since: 1, until: 3)
            stack.record.join(bob.address.owner, share: 7, since: 1, until: 6)
            try await stack.withLane {
                try await stack.commit(event([("x", .created, nil)]))
                var merged = event((2...6).map { ("r\($0)", .updated, nil) }, from: 2)
                (merged.isMerged, merged.isDeletion) = (true, true)
                merged.shares = ChangeEvent.Shares(isAll: true)
                try await stack.commit(merged)
                #expect(named(try await heard(stack, upTo: 6)) == ["ann": ["all"], "bob": ["all"]])
            }
            for (user, deleted) in [(ann, nil), (bob, true)] as [(TestZone, JSONValue?)] {
                let delivery = try #require(
                    stack.notifications.elements.last {
                        $0.properties.headers.string(Header.user) == user.address.owner
                    })
                #expect(try JSONValue(parsing: delivery.body)["deleted"] == deleted)
            }
        }
    }

    @Test func accessThatWasGainedAndLostWithinMergedChangesIsHeard() async throws {
        try await with(ann, bob, cat) { stack, _ in
            // Ann gained and lost access, Bob lost and gained it, and Cat lost it, was accepted later and left again.
            stack.record.join(ann.address.owner, share: 7, since: 2, until: 3)
            stack.record.join(bob.address.owner, share: 7, since: 4, until: 3, lost: 3)
            stack.record.join(cat.address.owner, share: 7, since: 8, until: 9, lost: 2)
            try await stack.withLane {
                var merged = event((1...5).map { ("r\($0)", .updated, nil) })
                merged.isMerged = true
                merged.shares = ChangeEvent.Shares(unlisted: [7])
                try await stack.commit(merged)
                try await stack.commit(event([("a", .updated, share(7, 7))], from: 6))
                let heard = named(try await heard(stack, upTo: 6))
                #expect(heard == ["ann": ["all"], "bob": ["all", "a"], "cat": ["all"]])
            }
        }
    }

    @Test func theOtherKindsOfSubscriptionsNeedAnotherDatabase() async throws {
        try await with { _, service in
            let operations: [JSONValue] = [
                .create("zone", zone: "Family"), .watch("query", filter: [:], on: ["create"]), Self.database,
            ]
            let answer = try await service.ask(
                .subscriptionsModify, as: ann, ["operations": .array(operations)], headers: [Header.database: "shared"])
            let codes = answer["subscriptions"]?.array?.map { $0["ckErrorCode"]?.int }
            #expect(codes == [24, 24, nil])
            let listed = try await service.ask(.subscriptionsList, as: ann, headers: [Header.database: "shared"])
            #expect(listed["subscriptions"]?.array?.map { $0["subscriptionID"] } == ["all"])
            // The subscription does not watch the user's own zones, and the private database does not contain it.
            let own = try await service.ask(.subscriptionsList, as: ann)
            #expect(own["subscriptions"]?.array == [])
        }
    }

    @Test func aSubscriptionOfTheSharedDatabaseDoesNotWatchTheUsersOwnZones() async throws {
        let own = TestZone("Own", user: ann.address.owner)
        try await with(ann) { stack, _ in
            try await stack.withLane {
                try await stack.commit(own.event(1...1))
                try await stack.commit(event([("x", .created, nil)]))
                #expect(try await heard(stack, upTo: 1) == [:])
            }
        }
    }
}

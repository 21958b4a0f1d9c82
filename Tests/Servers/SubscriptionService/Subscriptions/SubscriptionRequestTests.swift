import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import RequestServing
import ServiceMessages
import Synchronization
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// `subscriptions.modify`, `list` and `lookup`, as clients use them.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(1)))
struct SubscriptionRequestTests {
    private let zone = TestZone("Notes")

    private func withService(_ body: (RequestStack, FakeRecordService) async throws -> Void) async throws {
        try await withTestPool { pool in
            let record = FakeRecordService()
            record.make(zone)
            try await body(RequestStack(pool: pool, record: record), record)
        }
    }

    @Test func subscriptionsAreSavedListedLookedUpAndDeleted() async throws {
        try await withService { service, _ in
            let empty = try await service.ask(.subscriptionsList, as: zone)
            #expect(empty == ["subscriptions": []])
            let made = try await service.ask(
                .subscriptionsModify, as: zone,
                [
                    "operations": [
                        .create("a", zone: "Notes", ["alertBody": "Look", "x": 1]), .create(nil, zone: "Notes"),
                        .create("c", zone: "Nowhere"), .update("d", zone: "Notes"), .delete("e"),
                    ]
                ])
            let items = try #require(made["subscriptions"]?.array)
            #expect(
                items[0] == [
                    "subscriptionID": "a", "subscriptionType": "zone",
                    "zoneID": [
                        "zoneName": "Notes", "ownerRecordName": .string(zone.address.owner),
                        "zoneType": "REGULAR_CUSTOM_ZONE",
                    ],
                    "notificationInfo": [
                        "alertBody": "Look", "shouldBadge": false, "shouldSendContentAvailable": false,
                        "shouldSendMutableContent": false,
                    ],
                ])
            let madeID = try #require(items[1]["subscriptionID"]?.string)
            #expect(items[2...].map { $0["serverErrorCode"] } == ["ZONE_NOT_FOUND", "NOT_FOUND", "NOT_FOUND"])
            #expect(items[2...].map { $0["subscriptionID"] } == ["c", "d", "e"])

            let list = try await service.ask(.subscriptionsList, as: zone)
            #expect(Set(list["subscriptions"]?.array ?? []) == Set(items.prefix(2)))
            let found = try await service.ask(
                .subscriptionsLookup, as: zone, ["subscriptions": [["subscriptionID": "z"], ["subscriptionID": "a"]]])
            #expect(found["subscriptions"]?[0]?["serverErrorCode"] == "NOT_FOUND")
            #expect(found["subscriptions"]?[0]?["subscriptionID"] == "z")
            #expect(found["subscriptions"]?[1] == items[0])

            let deleted = try await service.ask(
                .subscriptionsModify, as: zone, ["operations": [.delete("a"), .delete(madeID)]])
            #expect(deleted["subscriptions"]?[0] == ["subscriptionID": "a", "deleted": true])
            let left = try await service.ask(.subscriptionsList, as: zone)
            #expect(left == ["subscriptions": []])
        }
    }

    @Test func aRepeatHasNoSecondEffectAndTheSameAnswer() async throws {
        try await withService { service, _ in
            let create: JSONValue = ["operations": [.create(nil, zone: "Notes")]]
            let first = try await service.ask(.subscriptionsModify, as: zone, create, messageID: "m1")
            let id = try #require(first["subscriptions"]?[0]?["subscriptionID"]?.string)
            try await service.ask(.subscriptionsModify, as: zone, ["operations": [.delete(id)]])
            let again = try await service.ask(.subscriptionsModify, as: zone, create, messageID: "m1")
            #expect(again == first)
            let list = try await service.ask(.subscriptionsList, as: zone)
            #expect(list == ["subscriptions": []])
            let other = try await service.ask(
                .subscriptionsModify, as: zone, ["operations": [.delete("x")]], messageID: "m1")
            #expect(other["reasonCode"] == "message_id_reused")
        }
    }

    @Test func subscriptionsAreTheUsersAndTheDatabasesOwn() async throws {
        try await withService { service, _ in
            try await service.ask(.subscriptionsModify, as: zone, ["operations": [.create("a", zone: "Notes")]])
            for headers: AMQPTable in [
                [Header.user: .string(TestZone.newUser())], [Header.environment: "production"],
                [Header.database: "public"], [Header.container: "com.example.other"],
            ] {
                let list = try await service.ask(.subscriptionsList, as: zone, headers: headers)
                #expect(list == ["subscriptions": []])
            }
            let refused = try await service.ask(
                .subscriptionsList, as: zone, headers: [Header.user: .void, Header.database: "public"])
            #expect(refused["serverErrorCode"] == "AUTHENTICATION_REQUIRED")
        }
    }

    @Test func theirNumberIsLimitedForRequestsAtOnce() async throws {
        try await withService { service, _ in
            let saved = try await withThrowingTaskGroup(of: Int.self) { group in
                for request in 0..<4 {
                    group.addTask {
                        let reply = try await service.ask(
                            .subscriptionsModify, as: zone,
                            [
                                "operations": [
                                    .create("a\(request)", zone: "Notes"), .create("b\(request)", zone: "Notes"),
                                ]
                            ])
                        return (reply["subscriptions"]?.array ?? []).filter { $0["serverErrorCode"] == nil }.count
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(saved == 5)
        }
    }

    @Test func aRequestThatOnlyDeletesAsksNoServiceAndCreatesNothing() async throws {
        try await withService { service, _ in
            let reply = try await service.ask(
                .subscriptionsModify, as: zone, ["operations": [.delete("a")]],
                headers: [Header.container: "com.example.nowhere"])
            #expect(reply["subscriptions"]?[0]?["reasonCode"] == "subscription_not_found")
        }
    }

    @Test func withoutTheRecordServiceACreateIsTriedUntilItsDeadline() async throws {
        try await withTestPool { pool in
            let record = FakeRecordService()
            record.isAway = true
            let deadline = Int64(Date().timeIntervalSince1970 * 1000) + 100
            let reply = try await RequestStack(pool: pool, record: record).ask(
                .subscriptionsModify, as: zone, ["operations": [.create("a", zone: "Notes")]],
                headers: [Header.deadline: .int64(deadline)])
            #expect(reply["serverErrorCode"] == "TRY_AGAIN_LATER")
            #expect(reply["reasonCode"] == "record_service_away")
        }
    }

    @Test func withoutADeadlineItsPatienceEnds() async throws {
        try await withTestPool { pool in
            let record = FakeRecordService()
            record.isAway = true
            let reply = try await RequestStack(pool: pool, record: record, patience: .milliseconds(50)).ask(
                .subscriptionsModify, as: zone, ["operations": [.create("a", zone: "Notes")]])
            #expect(reply["reasonCode"] == "record_service_away")
        }
    }

    @Test func aRepeatIsAnsweredWithoutTheRecordService() async throws {
        try await withTestPool { pool in
            let record = FakeRecordService()
            record.make(zone)
            let service = RequestStack(pool: pool, record: record, patience: .zero)
            let create: JSONValue = ["operations": [.create("a", zone: "Notes")]]
            let first = try await service.ask(.subscriptionsModify, as: zone, create, messageID: "m1")
            // Simulates that the first attempt ended between its two transactions.
            _ = try await pool.withConnection {
                try await $0.query("update subscription.subscription set snapshot = null")
            }
            record.isAway = true
            let again = try await service.ask(.subscriptionsModify, as: zone, create, messageID: "m1")
            #expect(again == first)
            let pending = try await pool.withConnection {
                try await $0.query("select from subscription.subscription where snapshot is null")
            }
            #expect(pending.isEmpty)
        }
    }

    @Test func aRequestWhoseOperationsAreAllRefusedIsRememberedToo() async throws {
        try await withService { service, record in
            let create: JSONValue = ["operations": [.create("a", zone: "Later")]]
            let first = try await service.ask(.subscriptionsModify, as: zone, create, messageID: "m1")
            #expect(first["subscriptions"]?[0]?["serverErrorCode"] == "ZONE_NOT_FOUND")
            record.make(TestZone("Later"))
            let again = try await service.ask(.subscriptionsModify, as: zone, create, messageID: "m1")
            #expect(again == first)
        }
    }
}

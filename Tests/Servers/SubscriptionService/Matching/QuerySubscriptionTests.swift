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

/// Subscriptions of all kinds, from the save to the notification, with real servers.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct QuerySubscriptionTests: SubscriptionSuite {
    let zone = TestZone("Notes")

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
                let bodies = try await reported(stack, count: 5)
                #expect(Set(heard(bodies)) == ["inbox a", "all a", "all b", "inbox c", "gone d"])
                #expect(bodies.count == 5)
                #expect(Set(bodies.map { $0["id"] }).count == 5)
            }
        }
    }

    @Test func thePublicDatabasesQueriesAreEverybodys() async throws {
        var shared = TestZone("_defaultZone")
        shared.address.scope = .public
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
                let bodies = try await reported(stack, count: 3)
                // Each user may read only their own records.
                #expect(heard(bodies) == ["mine a", "mine b", "other c"])
                #expect(bodies[0]["ck"]?["qry"]?["dbs"] == 1)
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
                let bodies = try await reported(stack, count: 5)
                #expect(heard(bodies).sorted() == ["all -", "all -", "notes -", "tasks -", "zone -"])
                var deletion = zone.event(2...2)
                (deletion.isDeletion, deletion.records) = (true, ChangedRecord.json([]))
                try await stack.commit(deletion)
                _ = try await stack.heard(zone, upTo: 2)
                let ends = try await reported(stack, count: 9).dropFirst(5)
                #expect(heard(Array(ends)).sorted() == ["all -", "notes -", "tasks -", "zone -"])
                #expect(ends.allSatisfy { $0["deleted"] == true })
                let of = bodies.compactMap { $0["ck"]?["met"] }.filter { $0["sid"] == "all" }
                #expect(of.map { $0["zid"] } == ["Drafts", "Notes"])
            }
        }
    }

    @Test func allConcernedUsersAreNotifiedHoweverMany() async throws {
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
                let bodies = try await reported(stack, count: count)
                #expect(Set(heard(bodies)).count == count)
                #expect(bodies.count == count)
            }
        }
    }
}

import AMQPClient
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import ServiceRuntime
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// Zones whose query subscriptions require much matching, together with zones that have none.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(2)))
struct CostlyZoneTests {
    private let zone = TestZone("Costly")
    private let other = TestZone("Other")

    /// Saves `count` query subscriptions that match every record of ``zone``, and passes a lane to `body`.
    private func with(subscriptions count: Int, _ body: @escaping (LaneStack) async throws -> Void) async throws {
        try await LaneStack.with { stack in
            let service = RequestStack(pool: stack.pool, record: stack.record)
            stack.record.make(zone)
            try await service.ask(
                .subscriptionsModify, as: zone, ["operations": [.watch("a", filter: [:], on: ["create"])]])
            _ = try await stack.pool.withConnection { connection in
                try await connection.query(
                    """
                    insert into subscription.subscription (environment, scope, user_name, subscription_id, zone_owner,
                        zone_name, kind, record_type, query, fires_on, predicate, rights, term_key, term, snapshot)
                    select environment, scope, user_name, subscription_id || n, zone_owner, zone_name, kind, record_type,
                        query, fires_on, predicate, rights, term_key, term, snapshot
                    from subscription.subscription, generate_series(2, $1) n
                    """, [.int4(Int32(count))])
            }
            try await body(stack)
        }
    }

    private func firings(_ stack: LaneStack, count: Int) async throws -> [JSONValue] {
        let deliveries = try await stack.notifications.wait(for: "\(count) users' notifications") { deliveries in
            let users = deliveries.filter { $0.routingKey.hasPrefix("user.") }
            return users.count >= count ? users : nil
        }
        return try deliveries.map { try JSONValue(parsing: $0.body) }
    }

    /// Zones with large predicates have shorter pages, and other zones have the usual ones.
    @Test func thePredicatesThatAreReadAtOnceHaveABound() async throws {
        let count = 50
        try await with(subscriptions: count) { stack in
            let service = RequestStack(pool: stack.pool, record: stack.record)
            stack.record.make(other)
            try await service.ask(
                .subscriptionsModify, as: other, ["operations": [.watch("b", filter: [:], on: ["create"])]])
            _ = try await stack.pool.withConnection { connection in
                try await connection.query(
                    "update subscription.subscription set predicate = repeat('x', 1000) where user_name = $1",
                    [.text(zone.address.owner)])
            }
            let table = MatchingTable(pool: stack.pool)
            let probes = [zone, other].map { zone in
                MatchingTable.QueryProbe(
                    place: MatchingTable.QueryPlace(zone.address, recordType: "Note"), term: .none)
            }
            let pages = try await table.querySubscriptions(of: probes, maxBytes: 10_500)
            let (long, short) = (try #require(pages[probes[0]]), try #require(pages[probes[1]]))
            #expect((9...10).contains(long.subscriptions.count) && !long.isLast)
            #expect(short.subscriptions.count == 1 && short.isLast)
            // All subscriptions are found, page by page.
            var (page, met) = (long, Set(long.subscriptions.map(\.id)))
            while !page.isLast {
                page =
                    try await table.querySubscriptions(
                        of: [probes[0]], after: page.subscriptions.last?.id, maxBytes: 10_500)[probes[0]] ?? .init()
                met.formUnion(page.subscriptions.map(\.id))
            }
            #expect(met.count == count)
        }
    }

    /// The second page of candidates contains a subscription that is being saved and is locked by its save.
    @Test func aZoneThatMatchesMuchDelaysNoOther() async throws {
        let count = MatchingTable.pageSize + 50
        try await with(subscriptions: count) { stack in
            let hold = TestMailbox<Void>()
            try await stack.pool.forgetLastMoment()
            try await withThrowingTaskGroup(of: Void.self) { group in
                let isLocked = TestMailbox<Void>()
                group.addTask {
                    try await stack.pool.withTransaction { connection in
                        _ = try await connection.query(
                            """
                            update subscription.subscription set snapshot = snapshot
                            where id = (select max(id::text)::uuid from subscription.subscription)
                            """)
                        isLocked.add(())
                        _ = try await hold.first("the other zone's notification") { true }
                    }
                }
                _ = try await isLocked.first("the lock") { true }
                try await stack.withLane {
                    try await stack.commit(zone.event([(.created, "r", [:])]))
                    for seq: Int64 in 1...5 {
                        try await stack.commit(other.event(seq...seq))
                        _ = try await stack.heard(other, upTo: seq)
                    }
                    #expect(stack.notifications.elements.spans(of: zone).isEmpty)
                    hold.add(())
                    let bodies = try await firings(stack, count: count)
                    #expect(Set(bodies.map { $0["ck"]?["qry"]?["sid"] }).count == count)
                    #expect(bodies.count == count)
                }
                try await group.waitForAll()
            }
            let deliveries = stack.metrics.value(of: SubscriptionMetrics.costlyDeliveries)
            #expect(deliveries == 1)
        }
    }

    /// The request for a user's rights does not block the other zones, because the record service may be unavailable.
    @Test func aQuestionAboutRightsDelaysNoOtherZone() async throws {
        try await with(subscriptions: 1) { stack in
            stack.record.end(times: .max)
            try await stack.withLane {
                var event = zone.event([(.created, "r", [:])])
                event.rights = 2
                try await stack.commit(event)
                for seq: Int64 in 1...5 {
                    try await stack.commit(other.event(seq...seq))
                    _ = try await stack.heard(other, upTo: seq)
                }
                #expect(stack.notifications.elements.spans(of: zone).isEmpty)
                stack.record.end(times: 0)
                let bodies = try await firings(stack, count: 1)
                #expect(bodies.first?["ck"]?["qry"]?["rid"] == "r")
            }
        }
    }

    /// There are more changes than a zone may hold in memory. Most of them are left to the log and read from it, in
    /// order.
    @Test func aCostlyZonesChangesComeInOrderAndOnce() async throws {
        let count = MatchingTable.pageSize + 1
        try await with(subscriptions: count) { stack in
            let changes = 60
            try await stack.withLane {
                for seq in 1...Int64(changes) {
                    try await stack.commit(zone.event([(.updated, "r", [:])], from: seq))
                    try await stack.commit(other.event(seq...seq))
                }
                let spans = try await stack.heard(zone, upTo: Int64(changes))
                #expect(spans == (1...Int64(changes)).map { $0...$0 })
                let others = try await stack.heard(other, upTo: Int64(changes))
                #expect(others.count == changes)
                try await stack.waitUntilSettled(zone, at: Int64(changes))
            }
            // The queue is empty.
            try await stack.withLane {
                try await stack.commit(zone.event([(.updated, "r", [:])], from: Int64(changes) + 1))
                let spans = try await stack.heard(zone, upTo: Int64(changes) + 1)
                #expect(spans.count == changes + 1)
            }
        }
    }

    /// An instance ends during such a delivery. The next instance repeats it, and then delivers the changes that were
    /// left to the log.
    @Test func whatWasBegunIsRepeatedByTheNextInstance() async throws {
        try await with(subscriptions: MatchingTable.pageSize + 1) { stack in
            try await stack.withLane(failing: [1]) {
                try await stack.commit(zone.event([(.created, "a", [:])]))
                _ = try await stack.heard(zone, upTo: 1)
            }
            try await stack.withLane {
                try await stack.commit(zone.event([(.created, "b", [:])], from: 2))
                let spans = try await stack.heard(zone, upTo: 2)
                #expect(spans == [1...1, 1...1, 2...2])
                try await stack.waitUntilSettled(zone, at: 2)
            }
        }
    }
}

extension PostgresPool {
    /// Makes the subscription with the highest id pending, like one that is being saved.
    fileprivate func forgetLastMoment() async throws {
        _ = try await withConnection {
            try await $0.query(
                """
                update subscription.subscription set snapshot = null
                where id = (select max(id::text)::uuid from subscription.subscription)
                """)
        }
    }
}

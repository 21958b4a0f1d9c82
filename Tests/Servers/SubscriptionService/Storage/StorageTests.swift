import AMQPClient
import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import Synchronization
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(1)))
struct StorageTests {
    private func context(_ user: String) throws -> RequestContext {
        try RequestContext(
            AMQPProperties(
                messageID: "m",
                headers: [
                    Header.container: "com.example.tests", Header.environment: "development",
                    Header.database: "private", Header.user: .string(user),
                ]), operation: .subscriptionsModify)
    }

    private func subscription(_ id: SubscriptionID, _ zone: TestZone) -> Subscription {
        Subscription(
            subscriptionID: id,
            kind: .zone(
                ZoneID(
                    zoneName: zone.address.zone,
                    ownerRecordName: UserName(unchecked: zone.address.owner)), recordType: nil))
    }

    /// Saves subscriptions as the operation does, up to the commit of the pending row.
    private func save(_ subscriptions: [Subscription], of zone: TestZone, in pool: PostgresPool) async throws
        -> SubscriptionTable
    {
        let context = try context(zone.address.owner)
        let table = SubscriptionTable(
            environment: try await EnvironmentTable(pool: pool).findOrMake(context), context: context)
        _ = try await pool.withConnection { try await $0.pipeline([table.save(subscriptions)]) }
        return table
    }

    private func subscriptions(of zone: TestZone, _ pool: PostgresPool) async throws -> [StoredSubscription] {
        try await MatchingTable(pool: pool).subscriptions(of: [zone.address])[zone.address] ?? []
    }

    /// Returns the id of a transaction that has been committed.
    private func commit(_ pool: PostgresPool) async throws -> UInt64 {
        let rows = try await pool.withConnection { try await $0.query("select pg_current_xact_id()") }
        return try #require(rows.first).xid8(0)
    }

    // MARK: Subscriptions

    @Test func aSubscriptionFiresForWhatIsCommittedAfterItWasSaved() async throws {
        try await withTestPool { pool in
            let zone = TestZone()
            let before = try await commit(pool)
            let table = try await save([subscription("s", zone)], of: zone, in: pool)
            _ = try await pool.withConnection { try await $0.pipeline([table.complete()]) }
            let after = try await commit(pool)
            let found = try #require(try await subscriptions(of: zone, pool).first)
            #expect(!found.isActive(for: before))
            #expect(found.isActive(for: after))
        }
    }

    @Test func aTransactionThatWasAtWorkWhenItWasSavedIsLater() async throws {
        try await withTestPool { pool in
            let zone = TestZone()
            let during = try await pool.withTransaction { connection -> UInt64 in
                let xid = try await connection.query("select pg_current_xact_id()")[0].xid8(0)
                let table = try await save([subscription("s", zone)], of: zone, in: pool)
                _ = try await pool.withConnection { try await $0.pipeline([table.complete()]) }
                return xid
            }
            let found = try #require(try await subscriptions(of: zone, pool).first)
            #expect(found.isActive(for: during))
        }
    }

    @Test func theFirstReaderOfAPendingSubscriptionTakesItsMoment() async throws {
        try await withTestPool { pool in
            let zone = TestZone()
            let table = try await save([subscription("s", zone)], of: zone, in: pool)
            let matched = try await commit(pool)
            let first = try #require(try await subscriptions(of: zone, pool).first)
            #expect(!first.isActive(for: matched))
            // The save is later, and the decision remains.
            let later = try await commit(pool)
            _ = try await pool.withConnection { try await $0.pipeline([table.complete()]) }
            let second = try #require(try await subscriptions(of: zone, pool).first)
            #expect(second.snapshot == first.snapshot)
            #expect(second.isActive(for: later))
        }
    }

    /// The save has taken its moment but not committed it when a later change is matched.
    @Test func theMatcherWaitsForASaverThatWasFirst() async throws {
        try await withTestPool { pool in
            let zone = TestZone()
            let table = try await save([subscription("s", zone)], of: zone, in: pool)
            let (change, subscriptions) = try await pool.withTransaction { connection in
                _ = try await connection.pipeline([table.complete()])
                let change = try await commit(pool)
                let subscriptions = Task { try await self.subscriptions(of: zone, pool) }
                // The matcher waits for the row's lock, which the commit releases.
                try await pool.waitUntil("exists (select from pg_locks where not granted)")
                return (change, subscriptions)
            }
            let found = try #require(try await subscriptions.value.first)
            #expect(found.isActive(for: change))
        }
    }

    /// Its new moment is newer than the claim. The claim must not mistake it for one that lies in the future after a
    /// restore.
    @Test func aSubscriptionThatIsSavedAgainWhileItsClaimWaitsIsNotClaimed() async throws {
        try await withTestPool { pool in
            let zone = TestZone()
            let table = try await save([subscription("a", zone), subscription("b", zone)], of: zone, in: pool)
            _ = try await pool.withConnection { try await $0.pipeline([table.complete()]) }
            let event = zone.event(1...1, xid: try await commit(pool))
            let change = try ZoneChange(JSONValue(parsing: event.json(bounded: true)))
            let subscriptions = try await subscriptions(of: zone, pool).sorted { $0.id.uuidString < $1.id.uuidString }
            try #require(subscriptions.count == 2)
            let claim = try await pool.withTransaction { connection in
                _ = try await connection.query(
                    "select 1 from subscription.subscription where id = $1 for update", [.uuid(subscriptions[0].id)])
                let claim = Task {
                    try await FiringTable(pool: pool).claim(
                        subscriptions.map { FiringTable.Claim(Firing(subscription: $0, change: change, match: nil)) })
                }
                try await pool.waitUntil("exists (select from pg_locks where not granted)")
                for statement in ["null", "pg_current_snapshot()"] {
                    _ = try await pool.withConnection { connection in
                        try await connection.query(
                            PostgresStatement(
                                "update subscription.subscription set snapshot = \(statement) where id = $1"),
                            [.uuid(subscriptions[1].id)])
                    }
                }
                return claim
            }
            #expect(Set(try await claim.value.keys) == [subscriptions[0].id])
        }
    }

    @Test func savedAgainItKeepsItsMomentUnlessItWatchesAnotherZone() async throws {
        try await withTestPool { pool in
            let (zone, other) = (TestZone("Notes"), TestZone("Drafts"))
            var drafts = other
            drafts.address.owner = zone.address.owner
            let table = try await save([subscription("s", zone)], of: zone, in: pool)
            _ = try await pool.withConnection { try await $0.pipeline([table.complete()]) }
            let change = try await commit(pool)
            let before = try #require(try await subscriptions(of: zone, pool).first)

            var again = subscription("s", zone)
            again.notificationInfo = try NotificationInfo(["alertBody": "Look"])
            _ = try await save([again], of: zone, in: pool)
            let same = try #require(try await subscriptions(of: zone, pool).first)
            #expect(same.snapshot == before.snapshot)
            #expect(same.id == before.id)
            let infos = try await RecipientTable(pool: pool).infos(of: [same.id])
            #expect(infos[same.id] != nil)

            _ = try await save([subscription("s", drafts)], of: zone, in: pool)
            #expect(try await subscriptions(of: zone, pool).isEmpty)
            let moved = try #require(try await subscriptions(of: drafts, pool).first)
            #expect(moved.id == before.id)
            #expect(!moved.isActive(for: change))
        }
    }

    @Test func onlyTheZonesOwnSubscriptionsAreFound() async throws {
        try await withTestPool { pool in
            let (zone, other) = (TestZone(), TestZone())
            _ = try await save([subscription("a", zone), subscription("b", zone)], of: zone, in: pool)
            _ = try await save([subscription("c", other)], of: other, in: pool)
            let found = try await MatchingTable(pool: pool).subscriptions(of: [
                other.address, zone.address,
            ])
            #expect(found[zone.address]?.map(\.subscriptionID).sorted() == ["a", "b"])
            #expect(found[other.address]?.map(\.user) == [other.address.owner])
            var elsewhere = zone.address
            elsewhere.environment = .production
            #expect(try await MatchingTable(pool: pool).subscriptions(of: [elsewhere]).isEmpty)
        }
    }

    // MARK: Cursors

    @Test func aCursorMovesOnlyFromWhereItStands() async throws {
        try await withTestPool { pool in
            let cursors = CursorTable(pool: pool)
            let (one, two) = (UUID(), UUID())
            func move(_ incarnation: UUID, _ from: Int64, _ to: Int64) -> CursorTable.Move {
                CursorTable.Move(incarnation: incarnation, from: from, to: to)
            }
            let none = try await cursors.read([one, two])
            #expect(none.isEmpty)
            let made = try await cursors.move([move(one, 0, 3)])
            #expect(made == [one])
            let conflict = try await cursors.move([move(one, 0, 5), move(two, 0, 2)])
            #expect(conflict == [two])
            let moved = try await cursors.move([move(one, 3, 5), move(two, 1, 9)])
            #expect(moved == [one])
            let last = try await cursors.read([one, two])
            #expect(last.mapValues(\.seq) == [one: 5, two: 2])
        }
    }

    // MARK: Instances and the sweep

    @Test func instancesKnowEachOtherUntilTheyLeave() async throws {
        try await withTestPool { pool in
            let table = InstanceTable(pool: pool)
            let (one, two) = (UUID(), UUID())
            #expect(try await table.announce(one) == [one])
            let alive = try await table.announce(two)
            #expect(Set(alive) == [one, two])
            #expect(try await table.announce(one) == alive)
            try await table.remove(two)
            #expect(try await table.announce(one) == [one])
            let silence = "update subscription.instance set seen_at = now() - interval '11 seconds'"
            _ = try await pool.withConnection { try await $0.query(PostgresStatement(silence)) }
            #expect(try await table.announce(two) == [two])
        }
    }

    @Test func aMemberGivesUpWhatIsNotItsShareAndWhatComesToItNevertheless() async throws {
        try await withTestPool { pool in
            let renewed = Mutex<[String]>([])
            let member = Membership(table: InstanceTable(pool: pool)) { queue in renewed.withLock { $0.append(queue) } }
            func round() async throws -> Set<String> {
                renewed.withLock { $0 = [] }
                try await member.runOnce()
                return Set(renewed.withLock { $0 })
            }
            #expect(try await round().isEmpty)
            _ = try await InstanceTable(pool: pool).announce(UUID())
            let foreign = try await round()
            #expect(foreign.count == 8)
            #expect(try await round().isEmpty)
            let all = (0..<RoutingKey.shardCount).map { Queue.subscriptionChanges($0) }
            for queue in all.prefix(4) { member.noteDeliveries(from: queue) }
            #expect(try await round() == foreign.intersection(all.prefix(4)))
        }
    }

    @Test func oneInstanceAtATimeSweepsAndOnlyFromWhereItTookOver() async throws {
        try await withTestPool { pool in
            let table = SweepTable(pool: pool)
            let first = try #require(try await table.claim(after: 60_000))
            #expect(first == SweepTable.Window(since: nil, upTo: nil))
            #expect(try await table.claim(after: 60_000) == nil)
            let next = SweepTable.Window(since: nil, upTo: "1:1:")
            try await table.replace(first, by: next)
            try await table.replace(first, by: SweepTable.Window(since: "9:9:", upTo: "9:9:"))
            #expect(try await table.claim(after: 0) == next)
        }
    }
}

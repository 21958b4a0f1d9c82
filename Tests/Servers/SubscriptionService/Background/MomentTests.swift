import PostgresClient
import ServiceRuntime
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// Moments in a dump from a database whose transaction ids were higher.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(1)))
struct MomentTests {
    private static let future = "9000000000000:9000000000000:"

    private func insert(_ id: String, _ snapshot: String, _ pool: PostgresPool) async throws {
        _ = try await pool.withConnection { connection in
            _ = try await connection.query(
                """
                insert into subscription.environment (container, name) values ('c', 'development') on conflict do nothing
                """)
            _ = try await connection.query(
                """
                insert into subscription.subscription
                    (environment, scope, user_name, subscription_id, zone_owner, zone_name, kind, snapshot)
                select e.id, 2, '_u', $1, '_u', '', 3, $2::text::pg_snapshot from subscription.environment e
                """, [.text(id), .text(snapshot)])
        }
    }

    private func snapshots(_ pool: PostgresPool) async throws -> [String: String] {
        let rows = try await pool.withConnection { connection in
            try await connection.query("select subscription_id, snapshot::text from subscription.subscription")
        }
        return Dictionary(rows.map { ($0.string(0), $0.string(1)) }, uniquingKeysWith: { first, _ in first })
    }

    @Test func aMomentOfAnotherCountingIsForgottenOnceAndAPresentOneIsKept() async throws {
        try await withTestPool { pool in
            let metrics = ServiceMetrics()
            let table = MomentCheck(pool: pool, metrics: SubscriptionMetrics(metrics), logger: testLogger)
            try await insert("present", "3:3:", pool)
            let present = try await pool.withConnection { try await $0.query("select pg_current_snapshot()::text") }
            try await insert("now", present[0].string(0), pool)
            try await insert("future", Self.future, pool)
            try await table.runOnce()
            let kept = try await snapshots(pool)
            #expect(kept["now"] == present[0].string(0))
            let moment = try #require(kept["future"].flatMap(TransactionSnapshot.init))
            // Every later commit is after the new moment.
            let next = try await pool.withConnection { try await $0.query("select pg_current_xact_id()")[0].xid8(0) }
            #expect(!moment.sees(next))
            #expect(metrics.value(of: SubscriptionMetrics.momentsForgotten) == 1)

            try await table.runOnce()
            #expect(try await snapshots(pool) == kept)
            #expect(metrics.value(of: SubscriptionMetrics.momentsForgotten) == 1)
        }
    }

    @Test func theSweepsMomentShowsARunningServiceThatTheDatabaseIsAnother() async throws {
        try await withTestPool { pool in
            let metrics = ServiceMetrics()
            let table = MomentCheck(pool: pool, metrics: SubscriptionMetrics(metrics), logger: testLogger)
            try await table.runOnce()
            try await insert("future", Self.future, pool)
            try await SweepTable(pool: pool).replace(
                SweepTable.Window(since: nil, upTo: nil), by: SweepTable.Window(since: Self.future, upTo: Self.future))
            try await table.runOnce()
            #expect(try await snapshots(pool) == ["future": "3:3:"])
            let window = try await SweepTable(pool: pool).claim(after: 0)
            #expect(window == SweepTable.Window(since: nil, upTo: nil))
            #expect(metrics.value(of: SubscriptionMetrics.momentsForgotten) == 2)
        }
    }
}

import CloudKitWire
import PostgresClient
import ServiceRuntime
import SignedTokens
import Testing

@testable import RecordService
@testable import RecordStorage

/// The effect on sync tokens when the database is replaced by another one.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct StoreWatchTests {
    private func watch(_ database: RecordDatabase, _ metrics: ServiceMetrics = ServiceMetrics()) -> StoreWatch {
        StoreWatch(pool: database.pool, metrics: metrics, logger: RecordDatabase.logger)
    }

    private func create(_ name: String, in zone: ZoneEntry, _ database: RecordDatabase) async throws {
        try await database.write(database.request(zone, [database.operation("create", name)]))
    }

    @Test func theFirstLookNotesThePlaceAndKeepsTheIncarnation() async throws {
        try await RecordDatabase.with { database in
            let before = try await database.query("select incarnation::text from record.store")[0].string(0)
            let (one, other) = (watch(database), watch(database))
            try await one.runOnce()
            try await other.runOnce()
            try await one.runOnce()
            #expect(one.incarnation.value == other.incarnation.value)
            let row = try await database.query(
                "select incarnation::text, system_identifier is not null, timeline from record.store")[0]
            #expect(row.string(0) == before)
            #expect(row.bool(1) && row.int64(2) >= 1)
        }
    }

    /// The row after a promotion or a restore to a point in time, after a dump was restored into another cluster, and
    /// after one was restored into the same cluster.
    @Test(arguments: ["timeline = timeline - 1", "system_identifier = 1", "relation = 1"])
    func anotherPlaceRenewsTheIncarnationOnceForAllInstances(_ difference: String) async throws {
        try await RecordDatabase.with { database in
            let metrics = ServiceMetrics()
            let watches = [watch(database, metrics), watch(database, metrics)]
            for watch in watches { try await watch.runOnce() }
            let former = watches[0].incarnation.value
            try await database.query(PostgresStatement("update record.store set \(difference)"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for watch in watches { group.addTask { try await watch.runOnce() } }
                try await group.waitForAll()
            }
            let renewed = watches[0].incarnation.value
            #expect(renewed != former)
            #expect(watches[1].incarnation.value == renewed)
            #expect(metrics.value(of: StoreWatch.renewals) == 1)
            for watch in watches { try await watch.runOnce() }
            #expect(watches.map(\.incarnation.value) == [renewed, renewed])
            #expect(metrics.value(of: StoreWatch.renewals) == 1)
        }
    }

    @Test func tokensOfARestoredStoreExpireAndStaySoWhenItsCounterHasPassedThem() async throws {
        try await RecordDatabase.with { database in
            let watch = watch(database)
            try await watch.runOnce()
            var store = database.store
            store.present = watch.incarnation
            let database = RecordDatabase(pool: database.pool, superuser: database.superuser, store: store)
            let zone = try await database.zone()
            for name in ["a", "b", "c"] { try await create(name, in: zone, database) }
            let (token, whole) = (
                try await database.changes().syncToken, try await database.databaseChanges().syncToken
            )

            // The store returns to its state before "b" and "c". Then another client makes the same number of changes.
            try await database.query("delete from record.record where name in ('b', 'c')")
            try await database.query("update record.zone set change_seq = 1 where name = 'Z'")
            try await database.query("update record.store set timeline = timeline - 1")
            for name in ["x", "y", "z"] { try await create(name, in: zone, database) }
            // The service has not noticed yet. The answer skips the changes, but its token expires with the others.
            let skipped = try await database.changes(since: token)
            #expect(skipped.changes == ["z"])

            try await watch.runOnce()
            for token in [token, skipped.syncToken] {
                let expired = try await database.changes(since: token)
                #expect(expired["reasonCode"] == "change_token_expired")
                #expect(expired["reason"]?.string?.contains("restored") == true)
            }
            #expect(try await database.databaseChanges(since: whole)["reasonCode"] == "change_token_expired")
            let begun = try await database.changes()
            #expect(begun.changes.contains("x"))
            #expect(try await database.changes(since: begun.syncToken).changes == [])
        }
    }

    @Test func transactionsOfAnotherCountingAreMovedIntoThePresent() async throws {
        try await RecordDatabase.with { database in
            let watch = watch(database)
            try await watch.runOnce()
            var store = database.store
            store.present = watch.incarnation
            let database = RecordDatabase(pool: database.pool, superuser: database.superuser, store: store)
            try await create("a", in: try await database.zone(), database)
            try await database.query("update record.zone set changed_xid = '9000000000000'")
            try await database.query("update record.database set purge_mark = '9000000000000'")
            try await database.query("update record.store set system_identifier = 1")
            try await watch.runOnce()
            // A client that starts from the beginning gets the zone once, with a valid token.
            let begun = try await database.databaseChanges()
            #expect(begun.zoneChanges == ["Z"])
            #expect(try await database.databaseChanges(since: begun.syncToken).zoneChanges == [])
        }
    }
}

import CloudKitWire
import PostgresClient
import ServiceMessages
import SignedTokens
import Testing

@testable import RecordService
@testable import RecordStorage

/// The tombstones that are purged after the retention, and the errors for readers that come too late.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct RetentionTests {
    private static func delete(_ names: String..., in zone: ZoneEntry, _ database: RecordDatabase) async throws {
        let operations = names.map { database.operation("forceDelete", $0) }
        try await database.write(database.request(zone, operations))
    }

    private static func create(_ names: String..., in zone: ZoneEntry, _ database: RecordDatabase) async throws {
        let operations = names.map { database.operation("create", $0) }
        try await database.write(database.request(zone, operations))
    }

    private static func plan(_ statement: String, _ database: RecordDatabase) async throws -> String {
        try await database.pool.withTransaction { connection in
            _ = try await connection.query(RecordTable.noBitmaps)
            return try await connection.query(PostgresStatement("explain \(statement)")).map { $0.string(0) }
                .joined(separator: "\n")
        }
    }

    @Test func oldTombstonesGoAndOnlyTokensThatNeedThemExpire() async throws {
        try await RecordDatabase.with { database in
            let (zone, other) = (try await database.zone(), try await database.zone("Other"))
            try await Self.create("a", "b", "c", in: zone, database)
            try await Self.create("z", in: other, database)
            let ignorant = try await database.changes().syncToken
            let otherToken = try await database.changes("Other").syncToken
            try await Self.delete("a", in: zone, database)
            let informed = try await database.changes(since: ignorant)
            #expect(informed.changes == ["-a"])

            try await database.purgeTombstones(retention: .seconds(3600))
            #expect(try await database.tombstones() == ["a"], "an hour is not over")
            try await database.purgeTombstones()
            #expect(try await database.tombstones() == [])

            let expired = try await database.changes(since: ignorant)
            #expect(expired["ckErrorCode"] == 21)
            #expect(expired["reasonCode"] == "change_token_expired")
            #expect(expired["reason"]?.string?.contains("retention") == true)
            #expect(try await database.changes(since: informed.syncToken).changes == [])
            #expect(try await database.changes("Other", since: otherToken).changes == [])
            #expect(try await database.changes().changes == ["b", "c"])
        }
    }

    @Test func firstWalkThatBeganBeforeAPurgeReachesItsEnd() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await Self.create("a", "b", "c", "d", in: zone, database)
            try await Self.delete("b", in: zone, database)
            var page = try await database.changes(limit: 1)
            #expect(page.changes == ["a"])
            try await database.purgeTombstones()
            var met: [String] = []
            while page["moreComing"] == true {
                page = try await database.changes(since: page.syncToken, limit: 1)
                met += page.changes
            }
            #expect(met == ["c", "d"])
            #expect(page["serverErrorCode"] == nil)
        }
    }

    @Test func aZoneBeingWrittenIsSkippedAndDelaysNoOther() async throws {
        try await RecordDatabase.with { database in
            let (busy, free) = (try await database.zone("Busy"), try await database.zone("Free"))
            for zone in [busy, free] {
                try await Self.create("of-\(zone.address.zone)", in: zone, database)
                try await Self.delete("of-\(zone.address.zone)", in: zone, database)
            }
            try await database.pool.withTransaction { connection in
                _ = try await connection.pipeline([ZoneTable.lock([busy.row], waiting: true)])
                try await database.purgeTombstones()
                #expect(try await database.tombstones() == ["of-Busy"])
            }
            try await database.purgeTombstones()
            #expect(try await database.tombstones() == [])
        }
    }

    @Test func manyTombstonesGoInBoundedTransactionsByTheIndexOfThoseThatAreDue() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await Self.create("alive", in: zone, database)
            let table = zone.database.environment.recordTable
            // Some deletions are two hours old, others are new.
            try await database.query(
                PostgresStatement(
                    """
                    insert into \(table) select environment, zone, 't' || n, record_type, n + 1, 'tag', null, 0, tokens,
                        parent, created_at, created_by, created_device,
                        now() - case when n <= 2500 then interval '2 hours' else '0' end, modified_by, modified_device
                    from \(table), generate_series(1, 2600) n
                    """))
            try await database.query(
                "update record.zone set change_seq = 2601 where id = $1", [.int8(zone.row.rawValue)])
            #expect(try await database.purgeTombstones(retention: .seconds(3600)) == 4, "three, and one elsewhere")
            #expect(try await database.tombstones().count == 100)
            let mark = try await database.query(
                "select purge_mark from record.zone where id = $1", [.int8(zone.row.rawValue)])
            #expect(mark.first?.int64(0) == 2501)
            let plan = try await Self.plan(
                """
                select ctid from \(table) where fields is null and modified_at < now() order by modified_at limit 1000
                """, database)
            #expect(plan.contains("Index Scan using record_"), "\(plan)")
        }
    }

    @Test func aDeletedZoneIsReportedForTheRetentionAndThenOlderTokensExpire() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            _ = try await database.zone("Other")
            try await Self.create("a", in: zone, database)
            let before = try await database.databaseChanges().syncToken
            try await database.deleteZone()
            let after = try await database.databaseChanges(since: before)
            #expect(after.zoneChanges == ["-Z"])
            #expect(after["zones"]?[0]?["deletionReason"] == "deleted")

            try await database.reclaim(retention: .seconds(3600))
            #expect(try await database.query("select from record.record").isEmpty, "its records are gone")
            #expect(try await database.databaseChanges(since: before).zoneChanges == ["-Z"])

            try await database.query("update record.job set due_at = now()")
            try await database.reclaim()
            #expect(try await database.query("select from record.zone where name = 'Z'").isEmpty)
            #expect(try await database.query("select from record.job").isEmpty)
            let expired = try await database.databaseChanges(since: before)
            #expect(expired["ckErrorCode"] == 21)
            #expect(expired["reason"]?.string?.contains("retention") == true)
            #expect(try await database.databaseChanges(since: after.syncToken).zoneChanges == [])
            #expect(try await database.databaseChanges().zoneChanges == ["Other"])
        }
    }

    @Test func aZoneOfManyRecordsGoesInPiecesThatOthersComeBetween() async throws {
        try await RecordDatabase.with { database in
            let (big, small) = (try await database.zone("Big"), try await database.zone("Small"))
            for zone in [big, small] { try await Self.create("a", in: zone, database) }
            let table = big.database.environment.recordTable
            try await database.query(
                PostgresStatement(
                    """
                    insert into \(table) select environment, zone, 'r' || n, record_type, n + 1, 'tag', fields, 0, tokens,
                        parent, created_at, created_by, created_device, modified_at, modified_by, modified_device
                    from \(table), generate_series(1, 9000) n where zone = $1
                    """), [.int8(big.row.rawValue)])
            try await database.deleteZone("Big")
            try await database.deleteZone("Small")
            #expect(try await database.changes("Big")["serverErrorCode"] == "ZONE_NOT_FOUND")
            let reclaimer = Reclaimer(pool: database.pool, retention: .zero, logger: RecordDatabase.logger)
            for _ in 1...2 { #expect(try await reclaimer.runOnce()) }
            let left = try await database.query("select zone, count(*) from record.record group by zone")
            #expect(left.map { [$0.int64(0), $0.int64(1)] } == [[big.row.rawValue, 7001]])
            try await database.reclaim()
            #expect(try await database.query("select from record.record").isEmpty)
            let plan = try await Self.plan(
                """
                delete from \(table) where ctid = any(array(
                    select ctid from \(table) where environment = 1 and zone = 1 limit 2000))
                """, database)
            #expect(plan.contains("Tid Scan") && !plan.contains("Seq Scan") && !plan.contains("Bitmap"), "\(plan)")
        }
    }

    @Test func tokenOfADatabaseThatWasMadeAgainHasExpired() async throws {
        try await RecordDatabase.with { database in
            let before = try await database.databaseChanges().syncToken
            let container: JSONValue = ["container": .string(RecordDatabase.container)]
            for operation in [ServiceMessages.Operation.containersDelete, .containersCreate] {
                _ = try await database.ask(operation, container)
            }
            let expired = try await database.databaseChanges(since: before)
            #expect(expired["ckErrorCode"] == 21)
            #expect(expired["reason"]?.string?.contains("recreated") == true)
        }
    }

    @Test func tokenThatTheServerSignedInAnEarlierFormHasExpired() async throws {
        try await RecordDatabase.with { database in
            let token = SealedToken.seal([1, 2, 3], with: try RecordDatabase.keys(.syncToken))
            #expect(try await database.databaseChanges(since: token)["ckErrorCode"] == 21)
            #expect(try await database.databaseChanges(since: "forged")["reasonCode"] == "change_token_invalid")
        }
    }
}

import CloudKitModel
import CloudKitWire
import PostgresClient
import Testing

@testable import RecordService
@testable import RecordStorage

/// The removal of what shares leave behind.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct DepartureRemovalTests {
    private static func count(_ table: String, _ database: RecordDatabase) async throws -> Int64? {
        try await database.query(PostgresStatement("select count(*) from record.\(table)")).first?.int64(0)
    }

    private static func mark(_ zone: ZoneEntry, _ database: RecordDatabase) async throws -> Int64? {
        try await database.query(
            "select departure_mark from record.zone where id = $1", [.int8(zone.row.rawValue)]
        ).first?.int64(0)
    }

    @Test func departuresAreDeletedAfterTheRetentionWithoutTombstones() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "list"), database.share("create", "S", of: "list"))
            try await database.save(zone, database.operation("create", "item", parent: "list"))
            try await database.save(zone, database.operation("create", "elsewhere"))
            try await database.save(zone, database.operation("update", "item", parent: "elsewhere"))
            #expect(try await Self.count("departure", database) == 1)
            #expect(try await database.tombstones() == [])
            try await database.purgeTombstones(retention: .seconds(3600))
            #expect(try await Self.count("departure", database) == 1, "an hour is not over")
            try await database.query("update record.departure set left_at = now() - interval '2 hours'")
            try await database.purgeTombstones(retention: .seconds(3600))
            #expect(try await Self.count("departure", database) == 0)
            #expect(try await Self.mark(zone, database) ?? 0 > 0)
            #expect(try await Self.count("share", database) == 1)
        }
    }

    @Test func anEndedShareIsDeletedWhenItIsEmptyInBoundedTransactions() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "list"), database.share("create", "S", of: "list"))
            try await database.query(
                """
                insert into record.participant (environment, zone, share, id, user_name, role, permission, status)
                select environment, zone, id, n, '_' || n, 4, 2, 2 from record.share, generate_series(1, 2500) n
                """)
            try await database.save(zone, database.operation("delete", "S"))
            try await database.query("update record.share set ended_at = now() - interval '2 hours'")
            try await database.purgeTombstones(retention: .seconds(3600))
            #expect(try await Self.count("share", database) == 1, "it has records")
            try await database.reclaim(retention: .seconds(3600))
            let purger = TombstonePurger(pool: database.pool, retention: .seconds(3600))
            #expect(try await purger.runOnce(in: zone.database.environment))
            #expect(try await Self.count("participant", database) == 1501)
            try await database.purgeTombstones(retention: .seconds(3600))
            #expect(try await Self.count("participant", database) == 0)
            #expect(try await Self.count("share", database) == 0)
        }
    }

    @Test func requestersAndPendingInvitationsAreDeletedSoonAfterTheEndOfTheShareInBoundedTransactions() async throws {
        try await RecordDatabase.with { database in
            let (zone, friend) = (try await database.zone(), RecordDatabase.user("b"))
            try await database.save(
                zone, database.operation("create", "list"),
                database.share(
                    "create", "S", of: "list",
                    participants: [
                        RecordDatabase.participant(friend), RecordDatabase.invitation("ada@example.org"),
                        ["usesOneTimeURL": true],
                    ]))
            try await SharedReader(database, "b").accept("S", in: zone)
            try await database.query(
                """
                insert into record.requester (environment, zone, share, user_name, email, is_blocked)
                select environment, zone, id, '_' || n, n || '@example.org', n % 2 = 0
                from record.share, generate_series(1, 1500) n
                """)
            try await database.save(zone, database.operation("delete", "S"))
            let reclaimer = Reclaimer(
                pool: database.pool, retention: .seconds(3600), logger: RecordDatabase.logger)
            #expect(try await reclaimer.runOnce())
            #expect(try await Self.count("requester", database) == 500)
            try await database.reclaim(retention: .seconds(3600))
            #expect(try await Self.count("requester", database) == 0)
            #expect(try await Self.count("one_time_link", database) == 0)
            // The feed of the former participant still reports the end.
            let users = try await database.query("select user_name from record.participant order by id")
            #expect(users.map { $0.string(0) } == [RecordDatabase.user, friend])
            #expect(try await SharedReader(database, "b").look("list")["serverErrorCode"] == "ZONE_NOT_FOUND")
        }
    }

    @Test func requestersOfAShareThatEndedInAnEarlierReleaseAreDeletedInBoundedTransactions() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "list"), database.share("create", "S", of: "list"))
            try await database.save(zone, database.operation("delete", "S"))
            try await database.reclaim(retention: .seconds(3600))
            try await database.query("update record.share set ended_at = now() - interval '2 hours'")
            try await database.query(
                """
                insert into record.requester (environment, zone, share, user_name, is_blocked)
                select environment, zone, id, '_' || n, false from record.share, generate_series(1, 1500) n
                """)
            let purger = TombstonePurger(pool: database.pool, retention: .seconds(3600))
            #expect(try await purger.runOnce(in: zone.database.environment))
            #expect(try await Self.count("requester", database) == 500)
            #expect(try await Self.count("share", database) == 1)
            try await database.purgeTombstones(retention: .seconds(3600))
            #expect(try await Self.count("requester", database) == 0)
            #expect(try await Self.count("share", database) == 0)
        }
    }

    @Test func aDeletedZoneLeavesNothingInBoundedTransactions() async throws {
        try await RecordDatabase.with { database in
            let (zone, other) = (try await database.zone(), try await database.zone("Other"))
            for zone in [zone, other] {
                try await database.save(
                    zone, database.operation("create", "list"), database.share("create", "S", of: "list"))
            }
            try await database.query(
                """
                insert into record.departure (environment, zone, share, seq, name, since)
                select environment, zone, id, n, 'd' || n, 1 from record.share, generate_series(1, 4500) n
                """)
            try await database.deleteZone()
            try await database.reclaim(retention: .seconds(3600))
            for table in ["departure", "link", "participant", "share"] {
                let rows = try await database.query(
                    PostgresStatement("select from record.\(table) where zone = $1"), [.int8(zone.row.rawValue)])
                #expect(rows.isEmpty, "\(table)")
            }
            #expect(try await Self.count("departure", database) == 4500)
            #expect(try await database.members(of: other) == ["S": ["S", "list"]])
        }
    }

    @Test func aDeletedEnvironmentLeavesNothing() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "list"), database.share("create", "S", of: "list"))
            try await database.query(
                """
                insert into record.departure (environment, zone, share, seq, name, since)
                select environment, zone, id, n, 'd' || n, 1 from record.share, generate_series(1, 4500) n
                """)
            try await database.pool.withConnection {
                try await EnvironmentRemoval.removeTables(of: zone.database.environment, on: $0)
            }
            for table in ["departure", "link", "participant", "share"] {
                #expect(try await Self.count(table, database) == 0, "\(table)")
            }
        }
    }
}

import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import SignedTokens
import Testing

@testable import RecordService
@testable import RecordStorage

/// `changes.database` in the shared database: which zones of others have news for a user.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct SharedDatabaseChangesTests {
    /// `list` with `a`, shared by `S`, and `shelf` with `b`, which is not shared. `b` and `c` are invited to `S`, and `b`
    /// has accepted.
    private static func plant(
        _ database: RecordDatabase, in name: String = "Z"
    ) async throws -> (zone: ZoneEntry, reader: SharedReader) {
        let zone = try await database.zone(name)
        try await database.save(
            zone, database.operation("create", "list"), database.operation("create", "a", parent: "list"),
            database.operation("create", "shelf"), database.operation("create", "b", parent: "shelf"))
        try await database.save(
            zone,
            database.share(
                "create", "S", of: "list",
                participants: ["b", "c"].map { RecordDatabase.participant(RecordDatabase.user($0)) }))
        let reader = SharedReader(database, "b")
        try await reader.accept("S", in: zone)
        return (zone, reader)
    }

    /// A client that lists the changed zones by tokens.
    private struct Follower {
        let reader: SharedReader
        var token: String?

        /// The names of the zones in all pages since the last call, with a minus sign before those that were lost.
        mutating func next(limit: Int? = nil) async throws -> [String] {
            var names: [String] = []
            while true {
                let answer = try await reader.list(since: token, limit: limit)
                names += answer.zoneChanges
                token = try #require(answer["syncToken"]?.string, "\(answer)")
                if answer["moreComing"] != true { return names }
            }
        }
    }

    /// The hidden record takes the row of a deleted one. The user has seen the deletion.
    @Test func aZoneIsNotListedWhenAHiddenRecordGetsTheNameOfADeletedOne() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            let token = try await reader.feed().token
            var follower = Follower(reader: reader)
            _ = try await follower.next()
            try await database.save(zone, database.operation("delete", "a"))
            #expect(try await follower.next() == ["Z"])
            try await database.save(zone, database.operation("create", "a", parent: "shelf"))
            #expect(try await follower.next() == [])
            #expect(try await reader.feed(since: token).names == ["-a"])
        }
    }

    @Test func aZoneIsListedWhenSomethingVisibleInItHasChanged() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            var follower = Follower(reader: reader)
            let first = try await reader.list()
            #expect(first["zones"]?[0]?["zoneID"]?["ownerRecordName"]?.string == RecordDatabase.user)
            #expect(first["zones"]?[0]?["deleted"] == false)
            #expect(try await follower.next() == ["Z"])
            #expect(try await follower.next() == [])
            // Neither a change of what is not shared nor another zone is heard of.
            try await database.save(zone, database.operation("update", "b", ["n": 1]))
            try await database.save(try await database.zone("Y"), database.operation("create", "y"))
            #expect(try await follower.next() == [])
            let visible: [[JSONValue]] = [
                [database.operation("update", "a", ["n": 1])],
                [database.operation("create", "a.1", parent: "a")],
                [database.operation("update", "shelf", parent: "a")],
                [database.operation("update", "b", ["n": 2], parent: "shelf")],
                [
                    [
                        "operationType": "update",
                        "record": ["recordName": "shelf", "recordType": "Photo", "parent": nil],
                    ]
                ],
                [database.operation("delete", "a.1")],
                [database.share("update", "S", of: nil, tag: try await database.tag("S", in: zone))],
            ]
            for operations in visible {
                try await database.write(try database.request(zone, operations, atomic: true))
                #expect(try await follower.next() == ["Z"], "\(operations)")
                #expect(try await follower.next() == [])
            }
            // `shelf` and `b` have left.
            try await database.save(zone, database.operation("update", "b", ["n": 3]))
            #expect(try await follower.next() == [])
        }
    }

    /// The ways in which a user loses the last share of a zone.
    enum Loss: CaseIterable { case removed, stopped, rootDeleted, zoneDeleted, permission }

    @Test(arguments: Loss.allCases)
    func aZoneIsListedAsDeletedWhenItsLastShareIsLost(by loss: Loss) async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            try await SharedReader(database, "c").accept("S", in: zone)
            var (follower, late) = (Follower(reader: reader), Follower(reader: SharedReader(database, "d")))
            #expect(try await follower.next() == ["Z"])
            #expect(try await late.next() == [])
            let tag = try await database.tag("S", in: zone)
            let other = RecordDatabase.participant(RecordDatabase.user("c"))
            switch loss {
            case .removed:
                try await database.save(zone, database.share("update", "S", of: nil, tag: tag, participants: [other]))
            case .stopped: try await database.save(zone, database.operation("forceDelete", "S"))
            case .rootDeleted:
                try await database.save(
                    zone, database.operation("forceDelete", "a"), database.operation("forceDelete", "list"))
            case .zoneDeleted: try await database.deleteZone()
            case .permission:
                let none = RecordDatabase.participant(reader.user, "NONE")
                try await database.save(
                    zone, database.share("update", "S", of: nil, tag: tag, participants: [other, none]))
            }
            let token = follower.token
            let answer = try await reader.list(since: token)
            #expect(answer["zones"]?[0]?["deletionReason"] == "deleted")
            #expect(try await follower.next() == ["-Z"])
            #expect(try await reader.list()["zones"]?.array == [])
            // Nothing that happens later is heard of.
            if loss != .zoneDeleted {
                _ = try await database.codes(zone, database.operation("update", "a", ["n": 5]))
                _ = try await database.codes(zone, database.operation("forceReplace", "list"))
                _ = try await database.codes(zone, database.operation("forceDelete", "S"))
            }
            try await database.reclaim(retention: .seconds(3600))
            #expect(try await follower.next() == [])
            // A token from before reports the loss also after the rows have been removed.
            #expect(try await reader.list(since: token).zoneChanges == ["-Z"])
            #expect(try await late.next() == [])
        }
    }

    @Test func aUserOfAPublicShareLosesTheZoneWhenTheLinkNoLongerGrantsAccess() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let saved = try await database.save(
                zone, database.operation("create", "list"),
                database.share("create", "S", of: "list", permission: "READ_ONLY"))
            let link = try #require(saved[1]["shortGUID"])
            var follower = Follower(reader: SharedReader(database, "e"))
            #expect(try await follower.next() == [])
            _ = try await database.links(.recordsAccept, ["value": link], by: follower.reader.user)
            #expect(try await follower.next() == ["Z"])
            let tag = try await database.tag("S", in: zone)
            try await database.save(zone, database.share("update", "S", of: nil, tag: tag, permission: "NONE"))
            #expect(try await follower.next() == ["-Z"])
        }
    }

    @Test func aZoneIsListedAsChangedWhileOneOfItsSharesIsLeft() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            try await database.save(
                zone,
                database.share(
                    "create", "T", of: "shelf", participants: [RecordDatabase.participant(reader.user)]))
            try await reader.accept("T", in: zone)
            var follower = Follower(reader: reader)
            #expect(try await follower.next() == ["Z"])
            try await database.save(zone, database.operation("forceDelete", "S"))
            #expect(try await follower.next() == ["Z"])
            try await database.save(zone, database.operation("update", "a", ["n": 1]))
            #expect(try await follower.next() == [])
            try await database.save(zone, database.operation("forceDelete", "T"))
            #expect(try await follower.next() == ["-Z"])
        }
    }

    @Test func aZoneThatIsSharedAsAWholeIsListedForEveryChange() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(zone, database.operation("create", "x"))
            let participant = RecordDatabase.participant(RecordDatabase.user("b"))
            try await database.save(
                zone, database.share("create", "cloudkit.zoneshare", of: nil, participants: [participant]))
            var follower = Follower(reader: SharedReader(database, "b"))
            #expect(try await follower.next() == [])
            try await follower.reader.accept("cloudkit.zoneshare", in: zone)
            #expect(try await follower.next() == ["Z"])
            try await database.save(zone, database.operation("create", "y"))
            #expect(try await follower.next() == ["Z"])
            try await database.save(zone, database.operation("forceDelete", "cloudkit.zoneshare"))
            #expect(try await follower.next() == ["-Z"])
            try await database.save(zone, database.operation("create", "z"))
            #expect(try await follower.next() == [])
        }
    }

    @Test func aZoneThatIsCreatedAndSharedAgainIsNotListedAsDeleted() async throws {
        try await RecordDatabase.with { database in
            let (_, reader) = try await Self.plant(database)
            var follower = Follower(reader: reader)
            #expect(try await follower.next() == ["Z"])
            try await database.deleteZone()
            _ = try await Self.plant(database)
            #expect(try await follower.next() == ["Z"])
        }
    }

    @Test func pagesContinueWhereTheyEndedWhileZonesChange() async throws {
        try await RecordDatabase.with { database in
            var zones: [ZoneEntry] = []
            for number in 0..<5 { zones.append(try await Self.plant(database, in: "Z\(number)").zone) }
            let reader = SharedReader(database, "b")
            let first = try await reader.list(limit: 2)
            #expect(first.zoneChanges == ["Z0", "Z1"])
            #expect(first["moreComing"] == true)
            try await database.save(zones[0], database.operation("update", "a", ["n": 1]))
            try await database.save(zones[4], database.operation("forceDelete", "S"))
            var follower = Follower(reader: reader, token: first["syncToken"]?.string)
            // A zone that is lost before the first listing has reached it was never known.
            #expect(try await follower.next(limit: 2) == ["Z2", "Z3"])
            #expect(try await follower.next(limit: 1) == ["Z0", "-Z4"])
            for zone in zones.prefix(3) { try await database.save(zone, database.operation("update", "a", ["n": 2])) }
            #expect(try await follower.next(limit: 1) == ["Z0", "Z1", "Z2"])
            let owner = try await reader.ask(.zonesChanges, ["metaSyncToken": .string(try #require(follower.token))])
            #expect(owner["zones"]?.array == [])
            #expect(owner["metaSyncToken"]?.string != nil)
        }
    }

    @Test func aTokenBelongsToOneUserAndToTheSharedDatabase() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            let other = SharedReader(database, "c")
            try await other.accept("S", in: zone)
            let token = try #require(try await reader.list()["syncToken"]?.string)
            let own = try #require(try await database.databaseChanges()["syncToken"]?.string)
            func code(_ answer: JSONValue) -> String? { answer["reasonCode"]?.string }
            #expect(code(try await other.list(since: token)) == "change_token_foreign")
            #expect(code(try await reader.list(since: own)) == "change_token_foreign")
            #expect(code(try await database.databaseChanges(since: token)) == "change_token_foreign")
            #expect(code(try await reader.list(since: try await reader.feed().token)) == "change_token_foreign")
            #expect(code(try await reader.list(since: "made-up")) == "change_token_invalid")
            #expect(try await reader.page(since: token)["serverErrorCode"] == "BAD_REQUEST")
        }
    }

    @Test func aTokenFromBeforeAPurgedLossHasExpired() async throws {
        try await RecordDatabase.with { database in
            let (_, reader) = try await Self.plant(database)
            var follower = Follower(reader: reader)
            #expect(try await follower.next() == ["Z"])
            let old = follower.token
            try await database.deleteZone()
            // Tests in other databases of the server also count as concurrent transactions.
            try await database.wait(
                for: """
                    select from record.zone
                    where deleted_at is not null and changed_xid < pg_snapshot_xmin(pg_current_snapshot())
                    """)
            #expect(try await follower.next() == ["-Z"])
            try await database.reclaim(retention: .seconds(3600))
            try await database.query("update record.share set ended_at = now() - interval '2 hours'")
            try await database.purgeTombstones(retention: .seconds(3600))
            #expect(try await database.query("select from record.share").isEmpty)
            #expect(try await reader.list(since: old)["reasonCode"] == "change_token_expired")
            #expect(try await follower.next() == [])
            // The row of the zone goes after those of its shares.
            try await database.query("update record.zone set deleted_at = now() - interval '2 hours'")
            try await database.query("update record.job set due_at = now()")
            try await database.reclaim(retention: .seconds(3600))
            #expect(try await database.query("select from record.zone where name = 'Z'").isEmpty)
        }
    }

    @Test func aListingWithoutNewsReadsNoRecordsAndOnlyTheRowsOfTheUser() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            try await database.query(
                """
                insert into record.share (environment, zone, id, name, root, public_permission)
                select $1, $2, n + 1000, 's' || n, 'r' || n, 1 from generate_series(1, 3000) n
                """, [.int4(zone.database.environment.rawValue), .int8(zone.row.rawValue)])
            try await database.query(
                """
                insert into record.participant
                    (environment, zone, share, id, user_name, role, permission, status, since_seq)
                select s.environment, s.zone, s.id, 1, case when s.id > 3990 then $1 else '_other' end, 3, 2, 2, 1
                from record.share s where s.id > 1000
                """, [.text(reader.user)])
            try await database.query("analyze record.share")
            try await database.query("analyze record.participant")
            let token = try #require(try await reader.list()["syncToken"]?.string)
            let since = try #require(DatabaseChangeToken(opening: token, with: try RecordDatabase.keys(.syncToken)))
            let call = SharedDatabaseFeed.changes(
                for: reader.user, in: zone.database.environment, since: since.since, after: nil, limit: 200)
            let rows = try await database.pool.withConnection { connection in
                try await connection.query(
                    PostgresStatement(
                        "explain (analyze, format json) \(call.statement.sql)", isPrepared: false), call.parameters)
            }
            let plan = StatementPlan(rows.first?.jsonbIfPresent(0) ?? [])
            #expect(plan.rowsRead <= 11 * 4, "\(plan.steps)")
            #expect(plan.indexes.contains("participant_feed"), "\(plan.indexes)")
        }
    }
}

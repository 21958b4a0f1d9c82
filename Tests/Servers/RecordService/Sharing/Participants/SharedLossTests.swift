import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// What a participant's feed shows as deleted after access to a share was lost, or was lost and gained again.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct SharedLossTests {
    private typealias Planted = (zone: ZoneEntry, reader: SharedReader)

    /// `one` with `x` and `y`, shared by `A`; `two`, shared by `B`; `shelf`, which is not shared. `b` has accepted both.
    private static func plant(_ database: RecordDatabase) async throws -> Planted {
        let zone = try await database.zone()
        try await database.save(
            zone, database.operation("create", "one"), database.operation("create", "x", parent: "one"),
            database.operation("create", "y", parent: "one"), database.operation("create", "two"),
            database.operation("create", "shelf"))
        let reader = SharedReader(database, "b")
        for (share, root) in [("A", "one"), ("B", "two")] {
            try await database.save(
                zone,
                database.share(
                    "create", share, of: root, participants: [RecordDatabase.participant(reader.user)]))
            try await reader.accept(share, in: zone)
        }
        return (zone, reader)
    }

    /// Saves the participants of `A`: `b` with a permission, or nobody.
    private static func set(
        _ permission: String?, in zone: ZoneEntry, _ reader: SharedReader, of share: String = "A"
    ) async throws {
        let participants = permission.map { [RecordDatabase.participant(reader.user, $0)] } ?? []
        try await reader.database.save(
            zone,
            reader.database.share(
                "update", share, of: nil, tag: try await reader.database.tag(share, in: zone),
                participants: participants))
    }

    /// Ways to lose a share.
    enum Loss: CaseIterable {
        case removal, none, end, endAndEmptying
    }

    private static func lose(_ loss: Loss, in zone: ZoneEntry, _ reader: SharedReader) async throws {
        switch loss {
        case .removal: try await set(nil, in: zone, reader)
        case .none: try await set("NONE", in: zone, reader)
        case .end, .endAndEmptying:
            try await reader.database.save(zone, reader.database.operation("forceDelete", "A"))
            if loss == .endAndEmptying { try await reader.database.reclaim(retention: .seconds(3600)) }
        }
    }

    @Test(arguments: Loss.allCases)
    func whatLeftOrWasDeletedBeforeTheShareWasLostIsGone(loss: Loss) async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            let token = try await reader.feed().token
            try await database.save(zone, database.operation("update", "x", parent: "shelf"))
            try await database.save(zone, database.operation("delete", "y"))
            try await Self.lose(loss, in: zone, reader)
            let feed = try await reader.feed(since: token, limit: 1)
            #expect(Set(feed.names) == ["-x", "-y", "-one", "-A"])
            #expect(Set(try await reader.feed().names) == ["two", "B"])
            #expect(try await reader.feed(since: feed.token).names == [])
        }
    }

    @Test(arguments: Loss.allCases)
    func namesOfRecordsThatTheUserNeverSawAreNotShown(loss: Loss) async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "one"), database.operation("create", "deleted", parent: "one"),
                database.operation("create", "moved", parent: "one"),
                database.operation("create", "again", parent: "one"), database.operation("create", "shelf"))
            try await database.save(zone, database.operation("create", "two"))
            let reader = SharedReader(database, "b")
            for (share, root) in [("A", "one"), ("B", "two")] {
                try await database.save(
                    zone,
                    database.share(
                        "create", share, of: root, participants: [RecordDatabase.participant(reader.user)]))
            }
            try await reader.accept("B", in: zone)
            try await database.save(
                zone, database.operation("delete", "deleted"), database.operation("delete", "again"))
            try await database.save(zone, database.operation("update", "moved", parent: "shelf"))
            try await reader.accept("A", in: zone)
            let token = try await reader.feed().token
            // The row of the deleted record is used for another one.
            try await database.save(zone, database.operation("create", "again"))
            try await Self.lose(loss, in: zone, reader)
            try await database.save(zone, database.operation("create", "later"))
            #expect(Set(try await reader.feed(since: token, limit: 1).names) == ["-one", "-A"])
        }
    }

    @Test func whatWasDeletedAndCreatedAgainAfterTheLossIsGone() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            let token = try await reader.feed().token
            try await Self.set(nil, in: zone, reader)
            try await database.save(zone, database.operation("delete", "x"))
            try await database.save(zone, database.operation("create", "x", parent: "one"))
            #expect(Set(try await reader.feed(since: token, limit: 1).names) == ["-one", "-x", "-y", "-A"])
        }
    }

    @Test(arguments: [Loss.removal, .none])
    func aTokenFromBeforeAnInterruptionExpires(loss: Loss) async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            let token = try await reader.feed().token
            try await database.save(zone, database.operation("delete", "x"))
            try await Self.lose(loss, in: zone, reader)
            try await database.save(zone, database.operation("delete", "y"))
            try await Self.set("READ_ONLY", in: zone, reader)
            if loss == .removal { try await reader.accept("A", in: zone) }
            let expired = try await reader.page(since: token)
            #expect(expired["reasonCode"] == "change_token_expired")
            #expect(expired["reason"]?.string?.contains("lost and gained again") == true)
            // A new walk by pages does not expire, although it begins with records that are older.
            let walk = try await reader.feed(limit: 1)
            #expect(Set(walk.names) == ["one", "A", "two", "B"])
            try await database.save(zone, database.operation("update", "one", ["n": 1]))
            #expect(try await reader.feed(since: walk.token, limit: 1).names == ["one"])
        }
    }

    @Test func whatChangedWhileThePermissionWasNoneIsShownAfterwards() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            try await Self.set("NONE", in: zone, reader)
            let token = try await reader.feed().token
            try await database.save(zone, database.operation("update", "x", ["n": 1]))
            let while_ = try await reader.feed(since: token)
            #expect(while_.names == [])
            try await Self.set("READ_ONLY", in: zone, reader)
            #expect(
                Set(try await reader.feed(since: while_.token, limit: 1).names) == ["one", "x", "y", "A"])
            // Ending the share while the permission is NONE does not move the loss.
            let seen = try await reader.feed().token
            try await Self.set("NONE", in: zone, reader)
            let lost = try await database.query("select max(until_seq) from record.participant").first?.int64(0)
            try await database.save(zone, database.operation("forceDelete", "A"))
            let after = try await database.query("select max(until_seq) from record.participant where id = 1")
            #expect(after.first?.int64(0) == lost)
            #expect(Set(try await reader.feed(since: seen, limit: 1).names) == ["-one", "-x", "-y", "-A"])
        }
    }

    @Test func aTokenFromBeforeTheEndOfAShareExpiresAsSoonAsItsParticipantsArePurged() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            let token = try await reader.feed().token
            try await database.query(
                """
                insert into record.participant (environment, zone, share, id, user_name, role, permission, status)
                select environment, zone, id, n, '_' || n, 4, 2, 2 from record.share, generate_series(10, 2500) n
                where name = 'A'
                """)
            try await Self.lose(.endAndEmptying, in: zone, reader)
            try await database.query("update record.share set ended_at = now() - interval '2 hours'")
            let purger = TombstonePurger(pool: database.pool, retention: .seconds(3600))
            while true {
                let isMore = try await purger.runOnce(in: zone.database.environment)
                let page = try await reader.page(since: token)
                let names = page["records"]?.array?.compactMap { $0["recordName"]?.string } ?? []
                #expect(page["reasonCode"] == "change_token_expired" || names.contains("one"))
                if !isMore { break }
            }
        }
    }

    @Test func formerParticipantsArePurgedAfterTheRetention() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            let token = try await reader.feed().token
            try await Self.set(nil, in: zone, reader)
            let count = { try await database.query("select from record.participant where status = 3").count }
            try await database.purgeTombstones(retention: .seconds(3600))
            #expect(try await count() == 1)
            try await database.query("update record.participant set lost_at = now() - interval '2 hours'")
            try await database.purgeTombstones(retention: .seconds(3600))
            #expect(try await count() == 0)
            #expect(try await reader.page(since: token)["reasonCode"] == "change_token_expired")
            // The user can be invited again.
            try await Self.set("READ_ONLY", in: zone, reader)
            try await reader.accept("A", in: zone)
            #expect(Set(try await reader.feed().names) == ["one", "x", "y", "A", "two", "B"])
        }
    }
}

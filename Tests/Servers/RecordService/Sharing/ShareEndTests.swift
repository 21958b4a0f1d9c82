import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// The ends of shares: what is deleted with them, and how their records leave.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct ShareEndTests {
    private static var limits: Limits {
        var limits = Limits()
        limits.maxCascade = 2
        return limits
    }

    /// `list` with ten records below it, shared by `S`.
    private static func plant(_ database: RecordDatabase) async throws -> ZoneEntry {
        let zone = try await database.zone()
        try await database.save(zone, database.operation("create", "list"))
        for number in 0..<10 {
            try await database.save(zone, database.operation("create", "\(number)", parent: "list"))
        }
        try await database.save(zone, database.share("create", "S", of: "list"))
        return zone
    }

    /// Returns the records that belong to shares that have ended.
    private static func left(_ database: RecordDatabase, in zone: ZoneEntry) async throws -> Int64? {
        try await database.query(
            PostgresStatement(
                """
                select count(*) from \(zone.database.environment.recordTable) r join record.share s
                on s.zone = r.zone and s.id = r.share where s.ended_seq is not null
                """)
        ).first?.int64(0)
    }

    @Test func aShareOfAnySizeEndsAtOnceAndItsRecordsLeaveLater() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            #expect(try await database.codes(zone, limits: Self.limits, database.operation("delete", "S")) == [nil])
            #expect(try await database.members(of: zone) == [:])
            #expect(try await Self.left(database, in: zone) == 12)
            // A record of the ended share is in none, and can be shared.
            try await database.save(zone, database.operation("update", "0", ["n": 1]))
            try await database.save(zone, database.share("create", "T", of: "0"))
            #expect(try await database.members(of: zone) == ["T": ["T", "0"]])
            try await database.reclaim(retention: .seconds(3600))
            #expect(try await Self.left(database, in: zone) == 0)
            #expect(try await database.members(of: zone) == ["T": ["T", "0"]])
            let departures = try await database.query("select name from record.departure").map { $0.string(0) }
            #expect(Set(departures) == Set((0..<10).map(String.init) + ["list", "S"]))
            #expect(try await database.query("select from record.job where kind = 'share.empty'").isEmpty)
        }
    }

    @Test func aTreeThatIsSharedAgainBelongsToTheNewShare() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            try await database.save(zone, database.operation("delete", "S"))
            try await database.save(zone, database.share("create", "T", of: "list"))
            let all = Set((0..<10).map(String.init) + ["list", "T"])
            #expect(try await database.members(of: zone) == ["T": all])
            try await database.reclaim(retention: .seconds(3600))
            #expect(try await database.members(of: zone) == ["T": all])
        }
    }

    @Test(arguments: [true, false])
    func aRootThatIsDeletedAsADependentTakesItsShareWithIt(inBackground: Bool) async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(zone, database.operation("create", "owner"))
            for name in ["r", "x", "y", "z"] {
                try await database.save(
                    zone, database.operation("create", name, ["o": RecordDatabase.reference("owner")]))
            }
            try await database.save(zone, database.share("create", "R", of: "r"))
            let before = try await database.feed()
            let limits = inBackground ? Self.limits : Limits()
            #expect(try await database.codes(zone, limits: limits, database.operation("delete", "owner")) == [nil])
            let job = CascadeJob(
                pool: database.pool, schema: database.store.schema, logger: RecordDatabase.logger)
            while try await job.runOnce() {}
            let gone: Set = ["-owner", "-r", "-x", "-y", "-z", "-R"]
            #expect(Set(try await database.feed(since: before.token).names) == gone)
            #expect(try await database.members(of: zone) == [:])
            let live = try await database.query("select count(*) from record.share where ended_seq is null")
            #expect(live.first?.int64(0) == 0)
            let sharing = try await database.query("select max(sharing)::int8 from record.zone")
            #expect(sharing.first?.int64(0) == 0)
        }
    }

    @Test func whatIsBelowARecordThatTheBackgroundJobDeletesLeavesTheShare() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let reader = SharedReader(database, "b")
            let reference = RecordDatabase.reference("owner")
            try await database.save(zone, database.operation("create", "owner"), database.operation("create", "list"))
            try await database.save(
                zone, database.operation("create", "d", ["o": reference], parent: "list"),
                database.operation("create", "c", parent: "d"), database.operation("create", "c.1", parent: "c"))
            for name in ["x", "y", "z"] {
                try await database.save(zone, database.operation("create", name, ["o": reference]))
            }
            try await database.save(
                zone, database.share("create", "A", of: "list", participants: [RecordDatabase.participant(reader.user)])
            )
            try await reader.accept("A", in: zone)
            let before = try await reader.feed()
            #expect(Set(before.names) == ["A", "list", "d", "c", "c.1"])
            #expect(try await database.codes(zone, limits: Self.limits, database.operation("delete", "owner")) == [nil])
            let job = CascadeJob(
                pool: database.pool, schema: database.store.schema, logger: RecordDatabase.logger)
            while try await job.runOnce() {}
            #expect(try await database.members(of: zone) == ["A": ["A", "list"]])
            #expect(Set(try await reader.feed(since: before.token, limit: 1).names) == ["-d", "-c", "-c.1"])
            #expect(Set(try await reader.feed().names) == ["A", "list"])
        }
    }

    @Test func noRecordIsLeftInTheShareIfTooManyAreBelowTheDeletedOnes() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let reader = SharedReader(database, "b")
            let reference = RecordDatabase.reference("owner")
            try await database.save(zone, database.operation("create", "owner"), database.operation("create", "list"))
            var gone: Set<String> = []
            for index in 0..<6 {
                try await database.save(
                    zone, database.operation("create", "d\(index)", ["o": reference], parent: "list"),
                    database.operation("create", "c\(index)", parent: "d\(index)"),
                    database.operation("create", "e\(index)", parent: "c\(index)"))
                gone.formUnion(["-d\(index)", "-c\(index)", "-e\(index)"])
            }
            try await database.save(
                zone, database.share("create", "A", of: "list", participants: [RecordDatabase.participant(reader.user)])
            )
            try await reader.accept("A", in: zone)
            let before = try await reader.feed()
            #expect(try await database.codes(zone, limits: Self.limits, database.operation("delete", "owner")) == [nil])
            // The records below the dependents exceed the limit, so another job moves them.
            let job = CascadeJob(
                pool: database.pool, schema: database.store.schema, logger: RecordDatabase.logger,
                orphansPerTransaction: 3)
            while try await job.runOnce() {}
            #expect(Set(try await reader.feed().names) == ["A", "list"], "they are hidden at once")
            #expect(try await database.moveRecords() > 0)
            #expect(try await database.members(of: zone) == ["A": ["A", "list"]])
            #expect(Set(try await reader.feed(since: before.token).names) == gone)
        }
    }

    @Test func aShareOfARootThatTheSameRequestDeletesIsRefused() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(zone, database.operation("create", "owner"))
            try await database.save(
                zone, database.operation("create", "r", ["o": RecordDatabase.reference("owner")]))
            #expect(
                try await database.codes(
                    zone, database.operation("delete", "owner"), database.share("create", "R", of: "r")) == [nil, 12])
            #expect(try await database.record("r", in: zone)["serverErrorCode"] == "NOT_FOUND")
        }
    }
}

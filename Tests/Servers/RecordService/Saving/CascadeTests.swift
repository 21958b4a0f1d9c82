import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Deletions with more dependents than one transaction may delete (semantics 5.3).
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct CascadeTests {
    /// `root` owns three records. Each of them owns three more, and each of these owns three more.
    private static let tree: [(name: String, owner: String)] = {
        var tree: [(name: String, owner: String)] = []
        var level = ["root"]
        for _ in 0..<3 {
            let next = level.flatMap { owner in (0..<3).map { (name: "\(owner).\($0)", owner: owner) } }
            tree += next
            level = next.map(\.name)
        }
        return tree
    }()

    private static var limits: Limits {
        var limits = Limits()
        limits.maxCascade = 10
        return limits
    }

    private static func plant(_ database: RecordDatabase, _ zone: ZoneEntry) async throws {
        var operations = [database.operation("create", "root"), database.operation("create", "other")]
        operations += tree.map { database.operation("create", $0.name, ["o": RecordDatabase.reference($0.owner)]) }
        let (answers, _) = try await database.write(try database.request(zone, operations, atomic: true))
        #expect(answers[0]["records"]?.array?.allSatisfy { $0["serverErrorCode"] == nil } == true)
    }

    private static func finish(_ database: RecordDatabase) async throws {
        let job = CascadeJob(
            pool: database.pool, schema: database.store.schema, logger: RecordDatabase.logger)
        while try await job.runOnce() {}
    }

    private static let names = ["root"] + tree.map(\.name)

    @Test func noReaderSeesHalfATree() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await Self.plant(database, zone)
            let before = try await database.feed()
            #expect(
                try await database.outcomes(zone, database.operation("delete", "root"), limits: Self.limits)
                    == ["deleted"])
            #expect(try await database.found(Self.names + ["other"]) == ["other"])
            #expect(try await database.feed().names == ["other"])
            let after = try await database.feed(since: before.token)
            #expect(after.names == ["-root"])
            try await Self.finish(database)
            #expect(
                Set(try await database.feed(since: after.token).names) == Set(Self.tree.map { "-\($0.name)" }))
            #expect(try await database.found(Self.names + ["other"]) == ["other"])
            #expect(try await database.links() == [])
            let left = try await database.query(
                "select (select count(*) from record.cascade) + (select count(*) from record.zone where is_cascading)")
            #expect(left.first?.int64(0) == 0)
        }
    }

    @Test func aResetTakesTheJobOfItsEnvironmentAlong() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await Self.plant(database, zone)
            _ = try await database.outcomes(zone, database.operation("delete", "root"), limits: Self.limits)
            let jobs = PostgresStatement("select from record.job where kind = 'cascade'")
            #expect(try await database.query(jobs).count == 1)
            let reset = try await RecordClient(database: database).operate(.schemaReset)
            #expect(reset["serverErrorCode"] == nil, "\(reset)")
            let reclaimer = Reclaimer(pool: database.pool, retention: .seconds(3600), logger: RecordDatabase.logger)
            while try await reclaimer.runOnce() {}
            #expect(try await database.query(jobs).isEmpty)
            try await Self.finish(database)
        }
    }

    @Test func whatIsAboutToGoIsGoneForWriters() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await Self.plant(database, zone)
            _ = try await database.outcomes(zone, database.operation("delete", "root"), limits: Self.limits)
            #expect(
                try await database.outcomes(
                    zone, database.operation("update", "root.0", ["n": 1]),
                    database.operation("forceDelete", "root.1"), database.operation("create", "new", parent: "root.2"),
                    database.operation("create", "root.0.0"),
                    database.operation("create", "late", ["o": RecordDatabase.reference("root")]))
                    == ["record_not_found", "deleted", "reference_target_missing", "saved", "saved"])
            // When the root is created again, it is another record, and so are the records that are created below it.
            _ = try await database.outcomes(
                zone, database.operation("create", "root"),
                database.operation("create", "root.1", ["o": RecordDatabase.reference("root")]))
            let found = try await database.found(Self.names + ["late"])
            #expect(found == ["root", "root.1", "root.0.0", "late"])
            try await Self.finish(database)
            let left = try await database.found(Self.names + ["late"])
            #expect(left == ["root", "root.1", "root.0.0", "late"])
            let links = try await database.links()
            #expect(links == ["late.o>root", "root.1.o>root"])
        }
    }

    /// Such a save once read nothing, and was planned again and again.
    @Test func aSaveThatNamesNoRecordIsAnsweredWhileADeletionIsUnderWay() async throws {
        try await RecordDatabase.with { database in
            let (zone, other) = (try await database.zone(), try await database.zone("Other"))
            try await Self.plant(database, zone)
            _ = try await database.outcomes(zone, database.operation("delete", "root"), limits: Self.limits)
            let (answers, _) = try await database.write(
                try database.request(zone, []),
                try database.request(zone, ["operationType": "update", "record": ["fields": [:]]]),
                try database.request(other, database.operation("create", "beside")))
            #expect(answers[0]["records"] == [])
            #expect(answers[1]["records"]?.array?.map { $0["serverErrorCode"] } == ["BAD_REQUEST"])
            #expect(answers[2]["records"]?.array?.map { $0["recordName"] } == ["beside"])
        }
    }

    @Test func aTreeWithinTheLimitGoesAtOnce() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await Self.plant(database, zone)
            var limits = Limits()
            limits.maxCascade = Self.tree.count
            let before = try await database.feed()
            _ = try await database.outcomes(zone, database.operation("delete", "root"), limits: limits)
            #expect(try await database.feed(since: before.token).names.count == Self.names.count)
            #expect(try await database.links() == [])
        }
    }

    @Test func aZoneThatGoesMeanwhileEndsTheJob() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await Self.plant(database, zone)
            _ = try await database.outcomes(zone, database.operation("delete", "root"), limits: Self.limits)
            _ = try await database.ask(
                .zonesModify, ["operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]]]]])
            try await Self.finish(database)
            let jobs = try await database.query("select count(*) from record.job where kind = 'cascade'")
            #expect(jobs.first?.int64(0) == 0)
        }
    }

    /// Records that were written after the deletion stay, even if they refer to records that the job deletes later.
    @Test func whatWasWrittenAfterTheDeletionStays() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await Self.plant(database, zone)
            _ = try await database.outcomes(zone, database.operation("delete", "root"), limits: Self.limits)
            let owner = ["o": RecordDatabase.reference("root.0")]
            #expect(
                try await database.outcomes(
                    zone, database.operation("forceUpdate", "root.0.0", owner),
                    database.operation("create", "fresh", owner)) == ["saved", "saved"])
            try await Self.finish(database)
            let left = try await database.found(Self.names + ["fresh"])
            #expect(left == ["root.0.0", "fresh"])
        }
    }

    /// A record that is pending deletion does not own other records.
    @Test func whatIsAboutToGoHoldsNothing() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await Self.plant(database, zone)
            _ = try await database.outcomes(
                zone, database.operation("update", "root.2.2", [:], parent: "other"))
            _ = try await database.outcomes(zone, database.operation("delete", "root"), limits: Self.limits)
            #expect(try await database.outcomes(zone, database.operation("delete", "other")) == ["deleted"])
        }
    }
}

import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// What participants cannot learn from the records that they may see.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct SharedPrivacyTests {
    /// `home` with `list`, which is shared by `S` and contains `x`.
    private static func plant(
        _ database: RecordDatabase, permission: String? = nil, participants: [JSONValue] = []
    ) async throws -> ZoneEntry {
        let zone = try await database.zone()
        let linked: JSONValue = [
            "recordName": "x", "recordType": "Photo", "createShortGUID": true, "parent": ["recordName": "list"],
        ]
        try await database.save(
            zone, database.operation("create", "home"), database.operation("create", "list", parent: "home"))
        try await database.save(zone, ["operationType": "create", "record": linked])
        try await database.save(
            zone, database.share("create", "S", of: "list", permission: permission, participants: participants))
        return zone
    }

    private static func link(_ database: RecordDatabase, _ zone: ZoneEntry) async throws -> JSONValue {
        try #require(try await database.record("S", in: zone)["shortGUID"])
    }

    @Test func theParentOfTheRootIsTheOwnersToSee() async throws {
        try await RecordDatabase.with { database in
            let reader = SharedReader(database, "b")
            let zone = try await Self.plant(database, participants: [RecordDatabase.participant(reader.user)])
            try await reader.accept("S", in: zone)
            #expect(try await database.record("list", in: zone)["parent"]?["recordName"] == "home")
            let found = try await reader.look("list", "x")["records"]
            #expect(found?[0]?["parent"] == nil)
            #expect(found?[1]?["parent"]?["recordName"] == "list")
            let page = try await reader.page(since: nil)
            #expect(page["records"]?.array?.count == 3)
            #expect(!page.writtenText.contains("home"))
        }
    }

    @Test func theLinkOfARecordInsideAShareIsTheOwnersToSee() async throws {
        try await RecordDatabase.with { database in
            let reader = SharedReader(database, "b")
            let zone = try await Self.plant(database, participants: [RecordDatabase.participant(reader.user)])
            try await reader.accept("S", in: zone)
            let own = try #require(try await database.record("x", in: zone)["shortGUID"]?.string)
            #expect(try await reader.look("x")["records"]?[0]?["shortGUID"] == nil)
            #expect(!(try await reader.page(since: nil).writtenText.contains(own)))
            let root = try await reader.look("list")["records"]?[0]
            #expect(root?["shortGUID"] == (try await Self.link(database, zone)))
        }
    }

    @Test func publicUsersDoNotLearnWhoJoins() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database, permission: "READ_ONLY")
            let link = try await Self.link(database, zone)
            let (b, c, d) = (RecordDatabase.user("b"), RecordDatabase.user("c"), RecordDatabase.user("d"))
            _ = try await database.links(.recordsAccept, link, by: b)
            _ = try await database.links(.recordsAccept, link, by: c)
            let reader = SharedReader(database, "b")
            let resolved = try await database.links(.recordsResolve, link, by: d).results[0]
            #expect(resolved["share"]?["modified"]?["userRecordName"]?.string == RecordDatabase.user)
            #expect(!resolved.writtenText.contains(c))
            #expect(!(try await reader.page(since: nil).writtenText.contains(c)))
            #expect(!(try await reader.look("S").writtenText.contains(c)))
            #expect(try await database.record("S", in: zone)["modified"]?["userRecordName"]?.string == c)
        }
    }

    @Test func aTokenDoesNotShowHowMuchChangesInTheZone() async throws {
        try await RecordDatabase.with { database in
            let reader = SharedReader(database, "b")
            let zone = try await Self.plant(database, participants: [RecordDatabase.participant(reader.user)])
            try await reader.accept("S", in: zone)
            let (first, second) = (try await reader.feed().token, try await reader.feed().token)
            #expect(first != second, "equal tokens would say that nothing changed")
            #expect(try await reader.feed(since: first).names == [])
            #expect(try await reader.feed(since: second).names == [])
        }
    }

    /// The background job deletes a root, but a save uses the name before it comes to that root.
    @Test func aRootThatIsReplacedWhilePendingDeletionTakesItsShareWithIt() async throws {
        try await RecordDatabase.with { database in
            var limits = Limits()
            limits.maxCascade = 2
            let zone = try await database.zone()
            try await database.save(zone, database.operation("create", "owner"))
            for name in ["r", "x", "y", "z"] {
                try await database.save(
                    zone, database.operation("create", name, ["o": RecordDatabase.reference("owner")]))
            }
            let reader = SharedReader(database, "b")
            try await database.save(
                zone,
                database.share(
                    "create", "R", of: "r", permission: "READ_ONLY",
                    participants: [RecordDatabase.participant(reader.user)]))
            try await reader.accept("R", in: zone)
            let link = try #require(try await database.record("R", in: zone)["shortGUID"])
            #expect(try await database.codes(zone, limits: limits, database.operation("delete", "owner")) == [nil])
            #expect(try await database.codes(zone, database.operation("forceReplace", "r")) == [nil])
            func check() async throws {
                #expect(try await database.members(of: zone) == [:])
                let resolved = try await database.links(.recordsResolve, link, by: RecordDatabase.user("c")).results[0]
                #expect(resolved["ckErrorCode"] == 11)
                #expect(try await reader.page(since: nil)["serverErrorCode"] == "ZONE_NOT_FOUND")
                #expect(try await database.record("R", in: zone)["serverErrorCode"] == "NOT_FOUND")
            }
            try await check()
            let job = CascadeJob(pool: database.pool, schema: database.store.schema, logger: RecordDatabase.logger)
            while try await job.runOnce() {}
            try await check()
            try await database.reclaim(retention: .seconds(3600))
            try await check()
            try await database.save(zone, database.share("create", "N", of: "r"))
            #expect(try await database.members(of: zone) == ["N": ["N", "r"]])
        }
    }
}

extension JSONValue {
    fileprivate var writtenText: String { String(decoding: encoded(), as: UTF8.self) }
}

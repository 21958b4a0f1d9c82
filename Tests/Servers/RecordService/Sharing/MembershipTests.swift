import CloudKitModel
import CloudKitWire
import PostgresClient
import Testing

@testable import RecordService
@testable import RecordStorage

/// Which records belong to a share: its root and everything below it by `parent` (semantics 5.4).
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct MembershipTests {
    /// `list` with `a` and `a.1`; `shelf` with `b` and `b.1`. `list` is shared by `S`.
    private static func plant(_ database: RecordDatabase) async throws -> ZoneEntry {
        let zone = try await database.zone()
        try await database.save(
            zone, database.operation("create", "list"), database.operation("create", "a", parent: "list"),
            database.operation("create", "a.1", parent: "a"), database.operation("create", "shelf"),
            database.operation("create", "b", parent: "shelf"), database.operation("create", "b.1", parent: "b"))
        try await database.save(zone, database.share("create", "S", of: "list"))
        return zone
    }

    private static func departures(_ database: RecordDatabase) async throws -> Set<String> {
        Set(try await database.query("select name from record.departure").map { $0.string(0) })
    }

    @Test func everythingBelowARootBelongsToItsShare() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            #expect(try await database.members(of: zone) == ["S": ["S", "list", "a", "a.1"]])
            try await database.save(zone, database.operation("create", "a.2", parent: "a"))
            try await database.save(zone, database.operation("update", "a.1", ["n": 1]))
            #expect(try await database.members(of: zone) == ["S": ["S", "list", "a", "a.1", "a.2"]])
        }
    }

    @Test func subtreeMovesInAndOutWithoutNewTags() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            let (tag, token) = (try await database.tag("b.1", in: zone), try await database.feed().token)
            try await database.save(zone, database.operation("update", "b", parent: "a"))
            #expect(try await database.members(of: zone) == ["S": ["S", "list", "a", "a.1", "b", "b.1"]])
            #expect(try await database.tag("b.1", in: zone) == tag)
            #expect(try await database.feed(since: token).names == ["b"])
            #expect(try await Self.departures(database) == [])
            try await database.save(zone, database.operation("update", "b", parent: "shelf"))
            #expect(try await database.members(of: zone) == ["S": ["S", "list", "a", "a.1"]])
            #expect(try await database.tag("b.1", in: zone) == tag)
            #expect(try await Self.departures(database) == ["b", "b.1"])
        }
    }

    @Test func recordLeavesWhenItLosesItsParent() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            let record: JSONValue = ["recordName": "a", "recordType": "Photo", "parent": nil]
            try await database.save(zone, ["operationType": "update", "record": record])
            #expect(try await database.members(of: zone) == ["S": ["S", "list"]])
            #expect(try await Self.departures(database) == ["a", "a.1"])
        }
    }

    @Test func severalMovesInOneRequestEndAsIfMadeOneByOne() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            // `a` leaves with `a.1`, which returns below `list`; `b` enters below the new `c`, with `b.1`.
            try await database.save(
                zone, database.operation("update", "a", parent: "shelf"),
                database.operation("update", "a.1", parent: "list"), database.operation("create", "c", parent: "list"),
                database.operation("update", "b", parent: "c"))
            #expect(try await database.members(of: zone) == ["S": ["S", "list", "a.1", "c", "b", "b.1"]])
        }
    }

    @Test func nameThatIsUsedAgainOutsideTheShareLeavesIt() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            try await database.save(zone, database.operation("delete", "a.1"))
            #expect(try await Self.departures(database) == [])
            try await database.save(zone, database.operation("create", "a.1"))
            #expect(try await database.members(of: zone) == ["S": ["S", "list", "a"]])
            #expect(try await Self.departures(database) == ["a.1"])
        }
    }

    @Test func sharedTreeCannotMoveBelowAnotherShare() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            try await database.save(zone, database.share("create", "T", of: "b"))
            #expect(try await database.codes(zone, database.operation("update", "b", parent: "a")) == [30])
            #expect(try await database.codes(zone, database.operation("update", "shelf", parent: "a")) == [30])
            #expect(
                try await database.members(of: zone)
                    == ["S": ["S", "list", "a", "a.1"], "T": ["T", "b", "b.1"]])
            // A record may move from one share into the other.
            try await database.save(zone, database.operation("update", "a", parent: "b"))
            #expect(
                try await database.members(of: zone)
                    == ["S": ["S", "list"], "T": ["T", "b", "b.1", "a", "a.1"]])
        }
    }

    @Test func aRootBelowAMemberOfAShareIsRefusedInOneRequest() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            #expect(
                try await database.codes(
                    zone, database.operation("create", "r", parent: "a"), database.share("create", "R", of: "r"))
                    == [nil, 30])
            #expect(try await database.members(of: zone) == ["S": ["S", "list", "a", "a.1", "r"]])
        }
    }

    @Test func aMemberWithALinkOfItsOwnLeavesLikeAnother() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            let record: JSONValue = ["recordName": "a", "recordType": "Photo", "createShortGUID": true]
            let saved = try await database.save(zone, ["operationType": "update", "record": record])
            #expect(saved[0]["shortGUID"]?.string != nil)
            try await database.save(zone, database.operation("update", "a", parent: "shelf"))
            #expect(try await database.members(of: zone) == ["S": ["S", "list"]])
        }
    }

    @Test func aRecordThatComesBackWithItsChildrenEntersWithThem() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            try await database.save(
                zone, database.operation("update", "b", parent: "a"), database.operation("create", "c", parent: "b"))
            try await database.save(
                zone, database.operation("update", "b", parent: "shelf"),
                database.operation("update", "c", parent: "a.1"))
            #expect(try await database.members(of: zone) == ["S": ["S", "list", "a", "a.1", "c"]])
        }
    }

    @Test func rootsOwnParentCountsForNothing() async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            try await database.save(zone, database.operation("update", "list", parent: "shelf"))
            #expect(try await database.members(of: zone) == ["S": ["S", "list", "a", "a.1"]])
        }
    }

    @Test(arguments: [true, false])
    func noRecordBecomesItsOwnAncestor(isShared: Bool) async throws {
        try await RecordDatabase.with { database in
            let zone = try await Self.plant(database)
            if !isShared { try await database.save(zone, database.operation("delete", "S")) }
            #expect(try await database.codes(zone, database.operation("update", "a", parent: "a")) == [12])
            #expect(try await database.codes(zone, database.operation("update", "list", parent: "a.1")) == [12])
            // In one request: each move alone is possible.
            let codes = try await database.codes(
                zone, database.operation("update", "a", parent: "b.1"),
                database.operation("update", "shelf", parent: "a.1"))
            #expect(codes.contains(12))
            #expect(
                try await database.codes(
                    zone, database.operation("create", "x", parent: "y"),
                    database.operation("create", "y", parent: "x")) == [12, 12])
            _ = try await database.members(of: zone)
        }
    }

    @Test func nothingIsWrittenAboutSharesWhereNothingIsShared() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "list"), database.operation("create", "a", parent: "list"))
            try await database.save(zone, database.operation("delete", "a"))
            for table in ["share", "participant", "link", "departure"] {
                let rows = try await database.query(PostgresStatement("select count(*) from record.\(table)"))
                #expect(rows.first?.int64(0) == 0, "\(table)")
            }
        }
    }
}

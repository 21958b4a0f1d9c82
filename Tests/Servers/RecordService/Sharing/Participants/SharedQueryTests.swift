import CloudKitModel
import CloudKitQuery
import CloudKitWire
import PostgresClient
import ServiceMessages
import TestGenerators
import Testing

@testable import RecordService
@testable import RecordStorage

/// Queries, aggregates and explanations in the shared database.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct SharedQueryTests {
    /// `list` with `a0` to `a9`, shared by `S`, and `shelf` with `b0` to `b39`, which are not shared. `n` counts from 0 in
    /// both. `b` has accepted.
    private static func plant(
        _ database: RecordDatabase, whole: Bool = false
    ) async throws -> (zone: ZoneEntry, reader: SharedReader) {
        let zone = try await database.zone()
        func items(_ letter: String, _ count: Int64, of parent: String) -> [JSONValue] {
            [database.operation("create", parent)]
                + (0..<count).map { number in
                    database.operation(
                        "create", "\(letter)\(number)",
                        ["n": .int(number), "title": .string("Title \(number)"), "tags": ["x", .string(letter)]],
                        parent: parent)
                }
        }
        let operations = items("a", 10, of: "list") + items("b", 40, of: "shelf")
        try await database.write(try database.request(zone, operations, atomic: true))
        let reader = SharedReader(database, "b")
        let participants = [RecordDatabase.participant(reader.user)]
        let name = whole ? "cloudkit.zoneshare" : "S"
        try await database.save(
            zone, database.share("create", name, of: whole ? nil : "list", participants: participants))
        try await reader.accept(name, in: zone)
        return (zone, reader)
    }

    @Test func aQueryFindsTheVisibleRecordsAndNoOthers() async throws {
        try await RecordDatabase.with { database in
            let (_, reader) = try await Self.plant(database)
            #expect(Set(try await reader.find().names) == Set(["list"] + (0..<10).map { "a\($0)" }))
            for isBuilt in [false, true] {
                if isBuilt { try await database.buildIndexes() }
                #expect(try await reader.find("n == 5").names == ["a5"])
                #expect(Set(try await reader.find("n >= 8").names) == ["a8", "a9"])
                #expect(try await reader.find("tags CONTAINS 'b'").names == [])
                #expect(try await reader.find("tags CONTAINS 'x' AND n < 1").names == ["a0"])
                #expect(try await reader.find("title MATCHES '.*3'").names == ["a3"])
                #expect(try await reader.find("title BEGINSWITH 'Title 1'").names == ["a1"])
                let sorted = try await reader.find("n < 20", sorts: [Sort(.field("n"), ascending: false)], limit: 3)
                #expect(sorted.names == ["a9", "a8", "a7"])
                #expect(sorted["continuationMarker"]?.string != nil)
                let last = try await reader.find("n < 20", sorts: [Sort(.field("n"), ascending: false)], limit: 10)
                #expect(last.names.count == 10)
                #expect(last["continuationMarker"] == nil, "what is hidden does not make another page")
            }
            let share = try await reader.find(type: "cloudkit.share")
            #expect(share.names == ["S"])
            #expect(share["records"]?[0]?["currentUserParticipant"]?["acceptanceStatus"] == "ACCEPTED")
            #expect(share["records"]?[0]?["zoneID"]?["ownerRecordName"]?.string == RecordDatabase.user)
        }
    }

    @Test func theChildrenOfARecordAreFoundAmongTheVisibleRecords() async throws {
        try await RecordDatabase.with { database in
            let (_, reader) = try await Self.plant(database)
            func children(_ parent: String) async throws -> Int {
                let reference = FieldValue.reference(Reference(recordName: RecordName(unchecked: parent)))
                let predicate = Predicate.comparison(
                    Comparison(.system(.parent), .value, .relation(.equal, reference)))
                return try await reader.find(predicate: predicate).names.count
            }
            #expect(try await children("list") == 10)
            #expect(try await children("shelf") == 0)
            #expect(try await children("nosuch") == 0)
        }
    }

    @Test func everyPageReadsTheRightsAnew() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            let sorts = [Sort(.field("n"), ascending: true)]
            let first = try await reader.find("n >= 0", sorts: sorts, limit: 3)
            #expect(first.names == ["a0", "a1", "a2"])
            let marker = try #require(first["continuationMarker"]?.string)
            // What leaves the share is not in the next page; what enters is.
            try await database.save(
                zone, database.operation("update", "a3", parent: "shelf"),
                database.operation("update", "b4", parent: "list"))
            #expect(
                try await reader.find("n >= 0", sorts: sorts, limit: 3, marker: marker).names == ["a4", "b4", "a5"])
            // A marker is good for its query, its user and its database.
            #expect(
                try await reader.find("n >= 1", sorts: sorts, limit: 3, marker: marker)["reasonCode"]
                    == "query_marker_foreign")
            let owner = try await database.find("Photo", "n >= 0", sorts: sorts, limit: 3)
            let foreign = try #require(owner["continuationMarker"]?.string)
            #expect(
                try await reader.find("n >= 0", sorts: sorts, limit: 3, marker: foreign)["reasonCode"]
                    == "query_marker_foreign")
            #expect(
                try await database.find("Photo", "n >= 0", sorts: sorts, limit: 3, marker: marker)["reasonCode"]
                    == "query_marker_foreign")
            let tag = try await database.tag("S", in: zone)
            let other = SharedReader(database, "c")
            try await database.save(
                zone,
                database.share(
                    "update", "S", of: nil, tag: tag, participants: [RecordDatabase.participant(other.user)]))
            try await other.accept("S", in: zone)
            #expect(
                try await other.find("n >= 0", sorts: sorts, limit: 3, marker: marker)["reasonCode"]
                    == "query_marker_foreign")
            // The removed user has no zone.
            #expect(
                try await reader.find("n >= 0", sorts: sorts, limit: 3, marker: marker)["serverErrorCode"]
                    == "ZONE_NOT_FOUND")
        }
    }

    @Test func aZoneAndItsOwnerAreRequired() async throws {
        try await RecordDatabase.with { database in
            let (_, reader) = try await Self.plant(database)
            for operation in [.recordsQuery, .recordsAggregate, .recordsExplain] as [ServiceMessages.Operation] {
                for zone in [nil, SharedReader.zoneID("Z", owner: nil)] as [JSONValue?] {
                    #expect(try await reader.run(operation, zone: zone)["ckErrorCode"] == 12, "\(operation)")
                }
                #expect(
                    try await reader.run(operation, zone: SharedReader.zoneID("Z", owner: reader.user))["ckErrorCode"]
                        == 26)
                #expect(
                    try await reader.run(operation, zone: nil, with: [.init("zoneWide", true)])["ckErrorCode"] == 12)
            }
        }
    }

    @Test(arguments: ["c", "d"] as [Character])
    func aHiddenZoneIsAnsweredLikeOneThatDoesNotExist(user: Character) async throws {
        try await RecordDatabase.with { database in
            let (zone, _) = try await Self.plant(database)
            let tag = try await database.tag("S", in: zone)
            let invited = RecordDatabase.participant(RecordDatabase.user("c"))
            let kept = RecordDatabase.participant(RecordDatabase.user("b"))
            try await database.save(
                zone, database.share("update", "S", of: nil, tag: tag, participants: [kept, invited]))
            let reader = SharedReader(database, user)
            func text(_ answer: JSONValue, without name: String) -> String {
                let members = answer.members?.filter { !["uuid", "requestID"].contains($0.key) }
                let text = String(decoding: JSONValue.object(members ?? []).encoded(), as: UTF8.self)
                return text.replacing("\"\(name)\"", with: "?").replacing("'\(name)'", with: "?")
            }
            for operation in [.recordsQuery, .recordsAggregate, .recordsExplain] as [ServiceMessages.Operation] {
                for (type, format) in [("Photo", "n == 1"), ("Photo", "nosuch == 1"), ("Nosuch", "TRUEPREDICATE")] {
                    let hidden = try await reader.run(operation, zone: SharedReader.zoneID("Z"), type, format)
                    let madeUp = try await reader.run(operation, zone: SharedReader.zoneID("Y"), type, format)
                    #expect(hidden["ckErrorCode"] == 26)
                    #expect(text(hidden, without: "Z") == text(madeUp, without: "Y"))
                }
            }
            // Nothing was asked for in the name of the stranger.
            #expect(try await database.query("select from record.field_index").isEmpty)
        }
    }

    @Test func aggregatesCountTheVisibleRecords() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            func aggregate(_ format: String, _ function: String = "COUNT") async throws -> JSONValue? {
                var item: [JSONValue.Member] = [.init("function", .string(function))]
                if function != "COUNT" { item.append(.init("fieldName", "n")) }
                let answer = try await reader.run(
                    .recordsAggregate, zone: SharedReader.zoneID("Z"), "Photo", format,
                    with: [.init("aggregates", [.object(item)])])
                return answer["results"]?[0]?["aggregates"]?[0]?["value"]?["value"]
            }
            for isBuilt in [false, true] {
                if isBuilt { try await database.buildIndexes() }
                #expect(try await aggregate("TRUEPREDICATE") == 11)
                #expect(try await aggregate("n >= 5") == 5)
                #expect(try await aggregate("title MATCHES 'Title [0-4]'") == 5)
                #expect(try await aggregate("n >= 0", "MAX") == 9)
                #expect(try await aggregate("title MATCHES 'Title .*'", "MAX") == 9)
            }
            let groups = try await reader.run(
                .recordsAggregate, zone: SharedReader.zoneID("Z"), "Photo", "n >= 0",
                with: [.init("groupBy", ["fieldName": "n"])])
            #expect(groups["results"]?.array?.count == 10)
            try await database.save(zone, database.operation("update", "a9", parent: "shelf"))
            #expect(try await aggregate("n >= 0", "MAX") == 8)
        }
    }

    @Test func theWorkOfAQueryIsThatOfItsShares() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            let environment = zone.database.environment
            // A zone of 20,000 records, of which the statistics know.
            try await database.query(
                PostgresStatement(
                    """
                    insert into \(environment.recordTable) (environment, zone, name, record_type, change_seq, change_tag,
                        fields, created_at, created_by, created_device, modified_at, modified_by, modified_device)
                    select r.environment, r.zone, 'x' || n, r.record_type, 1000 + n, 't', jsonb_build_object('n', n), now(),
                        '_o', '2', now(), '_o', '2'
                    from generate_series(1, 20000) n, \(environment.recordTable) r where r.name = 'b1'
                    """))
            _ = try await reader.find("n >= 0", sorts: [Sort(.field("n"), ascending: true)])
            for isBuilt in [false, true] {
                if isBuilt { try await database.buildIndexes() }
                for isAnalyzed in [false, true] {
                    if isAnalyzed { try await database.query(PostgresStatement("analyze \(environment.recordTable)")) }
                    for format in ["TRUEPREDICATE", "n >= 0", "n == 7", "tags CONTAINS 'x'"] {
                        let told = try await reader.run(
                            .recordsExplain, zone: SharedReader.zoneID("Z"), "Photo", format,
                            with: [
                                .init(
                                    "query",
                                    [
                                        "recordType": "Photo", "filterBy": [try Predicate(format: format, now: 0).json],
                                        "sortBy": [["fieldName": "n", "ascending": true]],
                                    ])
                            ])
                        // The root, its ten children and the share.
                        #expect(told["rowsRead"]?.int ?? 0 <= 24, "\(format)")
                        #expect(
                            told["indexes"]?[0]?["name"]?.string?.contains("share") == true)
                    }
                }
            }
        }
    }

    @Test func theLimitOfScansCountsVisibleRecordsOnly() async throws {
        try await RecordDatabase.with { database in
            let (zone, reader) = try await Self.plant(database)
            var limits = Limits()
            limits.maxScannedRecords = 12
            #expect(try await reader.find("n == 3", limits: limits).names == ["a3"])
            try await database.save(zone, database.operation("create", "a10", parent: "list"))
            let refused = try await reader.find("n == 3", limits: limits)
            #expect(refused["reasonCode"] == "scan_too_large")
            #expect(refused["limit"]?.int == 12)
            // An index serves a large share; what it contains besides is neither found nor explained.
            try await database.buildIndexes()
            #expect(try await reader.find("n == 3", limits: limits).names == ["a3"])
            let told = try await reader.run(
                .recordsExplain, zone: SharedReader.zoneID("Z"), "Photo", "n == 3", limits: limits)
            #expect(told["ckErrorCode"] == 10)
        }
    }

    @Test func aZoneThatIsSharedAsAWholeIsQueriedByItsIndexes() async throws {
        try await RecordDatabase.with { database in
            let (_, reader) = try await Self.plant(database, whole: true)
            #expect(Set(try await reader.find("n == 5").names) == ["a5", "b5"])
            try await database.buildIndexes()
            let told = try await reader.run(.recordsExplain, zone: SharedReader.zoneID("Z"), "Photo", "n == 5")
            #expect(told["rowsReturned"] == 2)
            #expect(told["indexes"]?[0]?["field"] == "n", "\(told)")
            #expect(told["warnings"] == nil)
        }
    }

    /// The owner moves records and shares at random. After each step, a query finds what the feed shows.
    @Test(arguments: 1...3 as ClosedRange<UInt64>)
    func aQueryFindsWhatTheFeedShows(seed: UInt64) async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let reader = SharedReader(database, "b")
            var generator = SeededGenerator(seed: seed)
            let names = (0..<7).map { "r\($0)" }
            for name in names { try await database.save(zone, database.operation("create", name, ["n": 1])) }
            for _ in 0..<40 {
                let (one, other) = (names.randomElement(using: &generator)!, names.randomElement(using: &generator)!)
                switch Int.random(in: 0..<6, using: &generator) {
                case 0...2: _ = try await database.codes(zone, database.operation("forceUpdate", one, parent: other))
                case 3: _ = try await database.codes(zone, database.operation("forceReplace", one, ["n": 1]))
                case 4: _ = try await database.codes(zone, database.operation("forceDelete", "S.\(one)"))
                default:
                    let codes = try await database.codes(
                        zone,
                        database.share(
                            "create", "S.\(one)", of: one, participants: [RecordDatabase.participant(reader.user)]))
                    if codes == [nil] { try await reader.accept("S.\(one)", in: zone) }
                }
                let found = try await reader.find("n == 1", sorts: [Sort(.system(.recordName), ascending: true)])
                guard found["serverErrorCode"] == nil else {
                    #expect(found["serverErrorCode"] == "ZONE_NOT_FOUND")
                    #expect(try await reader.page(since: nil)["serverErrorCode"] == "ZONE_NOT_FOUND")
                    continue
                }
                #expect(found.names == (try await reader.feed().names).filter { !$0.hasPrefix("S") }.sorted())
            }
        }
    }
}

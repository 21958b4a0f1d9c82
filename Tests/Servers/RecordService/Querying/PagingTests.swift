import CloudKitModel
import CloudKitQuery
import CloudKitWire
import Testing

@testable import RecordService
@testable import RecordStorage

/// Sort orders and pages of queries, with and without suitable indexes.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct PagingTests {
    private static let scopes = [
        QueryScope(zoneID: ZoneID(zoneName: ZoneName(unchecked: "Z"))), QueryScope(zoneWide: true),
    ]

    /// Saves records `a` to `l` in two zones, with equal and missing values of `n` and `title`. `t` to `w` have at most
    /// one of the two fields.
    private static func fill(_ database: RecordDatabase) async throws {
        for (number, zone) in ["Z", "Y"].enumerated() {
            let entry = try await database.zone(zone)
            let operations = "abcdefghijkl".enumerated().map { index, name in
                var fields: [String: JSONValue] = [:]
                if index % 4 != 3 { fields["n"] = .int(Int64((index + number) % 3)) }
                if index % 5 != 4 { fields["title"] = .string(["b", "ä", "B", "", "日"][index % 5]) }
                return database.operation("create", String(name), fields)
            }
            let last =
                [("t", [:]), ("u", ["title": "x"]), ("v", [:]), ("w", ["n": 9])] as [(String, [String: JSONValue])]
            try await database.write(
                try database.request(
                    entry, operations + last.map { database.operation("create", $0.0, $0.1) }))
        }
    }

    private static let orders: [[Sort]] = [
        [], [Sort(.field("n"))], [Sort(.field("n"), ascending: false)],
        [Sort(.field("title")), Sort(.field("n"), ascending: false)],
        [Sort(.field("n"), ascending: false), Sort(.field("title"))],
        [Sort(.system(.recordName), ascending: false)], [Sort(.system(.createdTimestamp), ascending: false)],
        [Sort(.system(.parent))],
    ]

    @Test func pagesOfAnySizeWalkTheSameOrder() async throws {
        try await RecordDatabase.with { database in
            try await Self.fill(database)
            for isIndexed in [false, true] {
                if isIndexed { try await database.buildIndexes() }
                for sorts in Self.orders {
                    for scope in Self.scopes {
                        let query = Query(recordType: "Photo", sorts: sorts)
                        let whole = try await database.find(query, scope, 100)
                        #expect(whole.names.count == (scope.zoneWide ? 32 : 16), "\(whole)")
                        #expect(whole["continuationMarker"] == nil)
                        for size in [1, 5, 12] {
                            let walked = try await Self.walk(database, query, scope, size)
                            #expect(walked == whole.places, "\(sorts) by \(size)")
                        }
                    }
                }
            }
        }
    }

    private static func walk(_ database: RecordDatabase, _ query: Query, _ scope: QueryScope, _ size: Int) async throws
        -> [String]
    {
        var (places, marker): ([String], String?) = ([], nil)
        repeat {
            let page = try await database.find(query, scope, size, marker)
            #expect(page.names.count <= size && !page.names.isEmpty, "\(page)")
            places += page.places
            marker = page["continuationMarker"]?.string
        } while marker != nil && places.count < 100
        return places
    }

    @Test func recordsWithoutTheFieldAreLastInBothDirectionsAndTiesGoByName() async throws {
        try await RecordDatabase.with { database in
            try await Self.fill(database)
            let up = try await database.find(sorts: [Sort(.field("n"))])
            #expect(up.names.joined() == "agjbekcfiwdhltuv")
            let down = try await database.find(sorts: [Sort(.field("n"), ascending: false)])
            #expect(down.names.joined() == "wifckebjgavutlhd")
            let texts = try await database.find(sorts: [Sort(.field("title")), Sort(.system(.recordName))])
            // The order is by code point: "" B b ä, followed by records without the field.
            #expect(texts.names.joined() == "dichafkubglejtvw")
        }
    }

    @Test func pagesOfLargeRecordsEndWhereTheyAreFull() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone("Z")
            let large = JSONValue.string(String(repeating: "x", count: 900_000))
            for number in 0..<12 {
                // Small records are between the large ones.
                try await database.write(
                    try database.request(
                        zone, database.operation("create", "l\(number)", ["n": .int(Int64(number)), "text": large]),
                        database.operation("create", "s\(number)", ["n": .int(Int64(number))])))
            }
            for isIndexed in [false, true] {
                if isIndexed { try await database.buildIndexes() }
                let query = Query(recordType: "Photo", sorts: [Sort(.field("n"), ascending: false)])
                let first = try await database.find(query, Self.scopes[0], 100)
                #expect((16...22).contains(first.names.count), "\(first.names)")
                let rest = try await Self.walk(database, query, Self.scopes[0], 100)
                #expect(rest == (0..<12).reversed().flatMap { ["Z/s\($0)", "Z/l\($0)"] })
            }
        }
    }

    @Test func aPageContinuesWhereItWasWhateverIsSavedAndDeleted() async throws {
        try await RecordDatabase.with { database in
            try await Self.fill(database)
            let query = Query(recordType: "Photo", sorts: [Sort(.field("n"))])
            let first = try await database.find(query, Self.scopes[0], 5)
            #expect(first.names.joined() == "agjbe")
            let zone = try await database.zone("Z")
            try await database.write(
                try database.request(
                    zone, database.operation("forceDelete", "e"), database.operation("create", "aa", ["n": 0]),
                    database.operation("create", "bb", ["n": 1]), database.operation("create", "zz", ["n": 1])))
            let rest = try await database.find(query, Self.scopes[0], 100, first["continuationMarker"]?.string)
            #expect(rest.names.joined(separator: " ") == "k zz c f i w d h l t u v")
        }
    }

    @Test func aMarkerIsGoodForItsQueryOnly() async throws {
        try await RecordDatabase.with { database in
            try await Self.fill(database)
            let query = Query(recordType: "Photo", sorts: [Sort(.field("n"))])
            let page = try await database.find(query, Self.scopes[0], 5)
            let marker = try #require(page["continuationMarker"]?.string)
            func code(_ query: Query, _ scope: QueryScope, _ marker: String) async throws -> String? {
                try await database.find(query, scope, 5, marker)["reasonCode"]?.string
            }
            #expect(try await code(query, Self.scopes[0], marker) == nil)
            #expect(try await code(query, Self.scopes[1], marker) == "query_marker_foreign")
            var other = query
            other.sorts = []
            #expect(try await code(other, Self.scopes[0], marker) == "query_marker_foreign")
            other = query
            other.predicate = try Predicate(format: "n > 0", now: 0)
            #expect(try await code(other, Self.scopes[0], marker) == "query_marker_foreign")
            #expect(try await code(query, Self.scopes[0], "A" + marker.dropFirst()) == "query_marker_invalid")
            #expect(try await code(query, Self.scopes[0], "not a marker") == "query_marker_invalid")
            let opened = try #require(QueryMarker(opening: marker, with: database.store.markerKeys))
            var old = opened
            old.issuedAt -= QueryMarker.life + 1000
            #expect(
                try await code(query, Self.scopes[0], old.sealed(with: database.store.markerKeys))
                    == "query_marker_expired")
        }
    }
}

extension JSONValue {
    /// The zone and name of each record in an answer.
    fileprivate var places: [String] {
        (self["records"]?.array ?? []).map {
            "\($0["zoneID"]?["zoneName"]?.string ?? "")/\($0["recordName"]?.string ?? "")"
        }
    }
}

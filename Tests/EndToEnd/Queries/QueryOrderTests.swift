import AMQPClient
import CloudKitModel
import CloudKitQuery
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.QueryTests {
    /// The order of results, and the contents of an answer.
    @Suite struct QueryOrderTests {
        /// `title` is sorted by code points, not by a language: Z < a < z < ä < 日 < 🦊. `v` contains integers and
        /// fractions.
        private static let records: [JSONValue] = [
            .item("a", ["title": "z", "group": 1, "v": 2, "at": .moment(5)]),
            .item("b", ["title": "Z", "group": 2, "v": 2.5, "at": .moment(-5)]),
            .item("c", ["title": "ä", "group": 1, "v": -1, "at": .moment(0)]),
            .item("d", ["title": "a", "group": 2, "v": 9_007_199_254_740_993, "at": .moment(0)]),
            .item("e", ["title": "🦊", "group": 1, "v": 1e300]),
            .item("f", ["title": "日", "v": 0]),
            .item("g", ["title": "", "group": 2]),
            .item("h", ["group": 1]),
            .item("i"),
        ]

        private static func by(_ name: String, _ ascending: Bool = true) -> Sort {
            Sort(.field(name), ascending: ascending)
        }

        private static let orders: [(sorts: [Sort], expected: String)] = [
            ([], "abcdefghi"),
            ([by("title")], "gbdacfehi"),
            // Records without the field are last in both directions. Equal records are sorted by name, in the direction
            // of the last sort.
            ([by("title", false)], "efcadbgih"),
            ([by("v")], "cfabdeghi"),
            ([by("v", false)], "edbafcihg"),
            ([by("at")], "bcdaefghi"),
            ([by("at", false)], "adcbihgfe"),
            ([by("group")], "acehbdgfi"),
            ([by("group", false)], "gdbhecaif"),
            ([by("group"), by("title")], "acehgbdfi"),
            ([by("group"), by("title", false)], "ecahdbgfi"),
            ([by("group", false), by("title")], "gbdacehfi"),
            ([by("group"), by("at"), by("v", false)], "caehbdgfi"),
            ([Sort(.system(.recordName))], "abcdefghi"),
            ([Sort(.system(.recordName), ascending: false)], "ihgfedcba"),
            ([by("group"), Sort(.system(.recordName), ascending: false)], "hecagdbif"),
        ]

        @Test func everyOrderIsKeptAndEveryPageSizeWalksIt() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save(Self.records)
            for stage in ["unindexed", "indexed"] {
                for (sorts, expected) in Self.orders {
                    for limit: Int64 in [100, 1, 2, 7] {
                        let names = try await client.walk(sorts: sorts, limit: limit)
                        let keys = sorts.map { "\($0.key.predicateName) \($0.ascending)" }
                        #expect(names == expected.map(String.init), "\(stage), by \(keys), pages of \(limit)")
                    }
                }
                try await client.untilIndexesAreReady()
            }
        }

        @Test func recordsAreSortedByWhatEveryRecordHas() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            let other = client.asAnotherUser().with(Header.database, "public")
            let own = client.with(Header.database, "public")
            for (name, writer) in [("b", own), ("c", other), ("a", own)] {
                try await writer.save([.item(name, ["n": 1])], zone: nil)
            }
            let created = try await own.walk(sorts: [Sort(.system(.createdTimestamp))], zone: nil, limit: 1)
            #expect(created == ["b", "c", "a"])
            try await own.save([.item("b", ["n": 2])], zone: nil)
            let modified = try await own.walk(
                sorts: [Sort(.system(.modifiedTimestamp), ascending: false)], zone: nil, limit: 1)
            #expect(modified == ["b", "a", "c"])
            let makers = try await own.walk(sorts: [Sort(.system(.createdUserRecordName))], zone: nil, limit: 2)
            #expect(makers == (own.user < other.user ? ["a", "b", "c"] : ["c", "a", "b"]))
        }

        @Test func childrenAreSortedByTheirParents() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save([
                .item("y", ["n": 1]), .item("x", ["n": 1]), .item("a", ["n": 2], parent: "y"),
                .item("b", ["n": 2], parent: "x"), .item("c", ["n": 2], parent: "y"),
            ])
            let names = try await client.walk("n == 2", sorts: [Sort(.system(.parent))], limit: 2)
            #expect(names == ["b", "a", "c"])
            let all = try await client.walk(sorts: [Sort(.system(.parent), ascending: false)], limit: 2)
            #expect(all == ["c", "a", "b", "y", "x"])
        }

        @Test func aQueryOfAllZonesMergesThem() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.zones("create", "Y", "Empty")
            for zone in ["Z", "Y"] { try await client.save(Self.records, zone: zone) }
            let everywhere = [JSONValue.Member("zoneWide", true)]
            for stage in ["unindexed", "indexed"] {
                for (sorts, expected) in Self.orders {
                    for limit: Int64 in [100, 1, 2, 7] {
                        let names = try await client.walk(sorts: sorts, zone: nil, limit: limit, with: everywhere)
                        #expect(
                            names == expected.flatMap { [String($0), String($0)] },
                            "\(stage), by \(sorts.map(\.key.predicateName)), pages of \(limit)")
                    }
                }
                try await client.untilIndexesAreReady()
            }
            let page = try await client.find("title == 'z'", zone: nil, with: everywhere)
            let zones = page["records"]?.array?.compactMap { $0["zoneID"]?["zoneName"]?.string } ?? []
            #expect(Set(zones) == ["Z", "Y"] && zones.count == 2)
            // A named zone takes precedence. Without a zone and `zoneWide`, the default zone is searched.
            #expect(try await client.walk("title == 'z'", zone: "Y", limit: 10, with: everywhere) == ["a"])
            #expect(try await client.walk("title == 'z'", zone: nil, limit: 10) == [])
        }

        @Test func anAnswerHoldsWhatWasAskedFor() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            let title: JSONValue = ["title": "x", "n": 9_007_199_254_740_993, "note": "y"]
            try await client.save([.item("a", title), .item("b", title)])
            let found = try #require(try await client.find("recordID == 'a'")["records"]?[0])
            #expect(found == (try await client.record("Z", "a")), "a query answers what a look-up does")
            #expect(found["zoneID"]?["zoneName"] == "Z")
            func keys(_ desired: JSONValue) async throws -> [String] {
                let reply = try await client.find("recordID == 'a'", with: [.init("desiredKeys", desired)])
                let record = try #require(reply["records"]?[0], "\(reply.body)")
                #expect(record.changeTag != nil && record["created"] != nil && record["modified"] != nil)
                return record.values.keys.sorted()
            }
            #expect(try await keys(nil) == ["n", "note", "title"])
            #expect(try await keys([]) == [])
            #expect(try await keys(["title", "unheard"]) == ["title"])
            let texts = try await client.find("recordID == 'a'", with: [.init("numbersAsStrings", true)])
            #expect(texts["records"]?[0]?.values["n"] == "9007199254740993")
            // With 0, the server chooses the limit.
            let chosen = try await client.find(with: [.init("resultsLimit", 0)])
            #expect(chosen.body.recordNames == ["a", "b"])
            let open = client.with(Header.database, "public")
            try await open.save([.item("a", title)], zone: nil)
            let publicOne = try #require(try await open.find(zone: nil)["records"]?[0])
            #expect(publicOne["zoneID"] == nil)
        }
    }
}

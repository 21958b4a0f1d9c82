import CloudKitModel
import CloudKitQuery
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.QueryTests {
    /// Aggregates over the records that a query finds, and the explanation of queries.
    @Suite struct QueryAggregateTests {
        private static let records: [JSONValue] = [
            .item("a", ["kind": "x", "n": 1, "v": .typed(0.5, "DOUBLE"), "at": .moment(10)]),
            .item("b", ["kind": "x", "n": 3, "v": .typed(1.5, "DOUBLE"), "at": .moment(30)]),
            .item("c", ["kind": "y", "n": 5, "at": .moment(-20)]),
            .item("d", ["kind": "y"]),
            .item("e", ["n": 9_223_372_036_854_775_807]),
            .item("f"),
        ]

        private static func aggregate(
            _ client: TestClient, _ aggregates: [(String, String?)], of format: String = "TRUEPREDICATE",
            groupBy: JSONValue? = nil, zone: String? = "Z"
        ) async throws -> TestReply {
            let wanted = aggregates.map { function, field -> JSONValue in
                .object(
                    [.init("function", .string(function))] + (field.map { [.init("fieldName", .string($0))] } ?? []))
            }
            let members =
                [JSONValue.Member("aggregates", .array(wanted))] + (groupBy.map { [.init("groupBy", $0)] } ?? [])
            return try await client.ask(.recordsAggregate, .query("Item", format, zone: zone, with: members))
        }

        /// Returns the group of each result, followed by its values.
        private static func table(_ reply: TestReply) -> [[JSONValue]] {
            (reply["results"]?.array ?? []).map { result in
                let group = result["group"].map { [$0["value"] ?? nil] } ?? []
                return group + (result["aggregates"]?.array ?? []).map { $0["value"]?["value"] ?? nil }
            }
        }

        @Test func numbersAreComputedOverWhatIsFound() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save(Self.records)
            for stage in ["unindexed", "indexed"] {
                let all = try await Self.aggregate(
                    client,
                    [
                        ("COUNT", nil), ("COUNT", "v"), ("MIN", "n"), ("MAX", "n"), ("SUM", "n"), ("AVG", "n"),
                        ("SUM", "v"), ("AVG", "v"), ("MIN", "at"), ("MAX", "kind"), ("MIN", "v"),
                    ], of: "n < 100")
                #expect(
                    Self.table(all) == [[3, 2, 1, 5, 9, .double(3), .double(2), .double(1), -20, "y", 0.5]],
                    "\(stage): \(all.body)")
                let first = try #require(all["results"]?[0]?["aggregates"]?.array)
                #expect(first[0] == ["function": "COUNT", "value": ["value": 3, "type": "INT64"]])
                #expect(first[2]["fieldName"] == "n" && first[8]["value"]?["type"] == "TIMESTAMP")
                // A sum beyond INT64 is as precise as a DOUBLE.
                let large = try await Self.aggregate(client, [("SUM", "n")])
                #expect(Self.table(large)[0][0].double == 9_223_372_036_854_775_816)
                let none = try await Self.aggregate(
                    client, [("COUNT", nil), ("SUM", "n"), ("MAX", "n")], of: "n == -1")
                #expect(Self.table(none) == [[0, nil, nil]])
                let implied = try await Self.aggregate(client, [])
                #expect(Self.table(implied) == [[6]])
                // Records that SQL alone cannot select are counted in memory.
                let matched = try await Self.aggregate(
                    client, [("COUNT", nil), ("SUM", "n")], of: "kind MATCHES '[xz]'")
                #expect(Self.table(matched) == [[2, 4]])
                try await client.untilIndexesAreReady()
            }
        }

        @Test func eachGroupHasItsNumbersAndRecordsWithoutTheFieldAreOne() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save(Self.records)
            let groups = try await Self.aggregate(
                client, [("COUNT", nil), ("SUM", "n")], groupBy: ["fieldName": "kind"])
            #expect(
                Self.table(groups) == [["x", 2, 4], ["y", 2, 5], [nil, 2, 9_223_372_036_854_775_807]], "\(groups.body)")
            let matched = try await Self.aggregate(
                client, [("COUNT", nil)], of: "kind MATCHES 'y' OR n == 3", groupBy: ["fieldName": "kind"])
            #expect(Self.table(matched) == [["x", 1], ["y", 2]])
            let byUser = try await Self.aggregate(
                client, [("COUNT", nil)], groupBy: ["systemFieldName": "createdUserRecordName"])
            #expect(Self.table(byUser).map { $0[1] } == [6], "\(byUser.body)")
            let none = try await Self.aggregate(client, [("COUNT", nil)], of: "n == -1", groupBy: ["fieldName": "kind"])
            #expect(none["results"] == [])
        }

        @Test func whatHasNoNumberIsRefused() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save(QueryForm.records)
            let rows: [([(String, String?)], JSONValue?, String)] = [
                ([("MEDIAN", "n")], nil, "aggregate_invalid"), ([("SUM", nil)], nil, "aggregate_invalid"),
                ([("SUM", "title")], nil, "aggregate_invalid"), ([("AVG", "at")], nil, "aggregate_invalid"),
                ([("MAX", "tags")], nil, "aggregate_invalid"), ([("MIN", "place")], nil, "aggregate_invalid"),
                ([("COUNT", "color")], nil, "field_not_found"),
                ([("COUNT", nil)], ["fieldName": "tags"], "aggregate_invalid"),
                ([("COUNT", nil)], ["fieldName": "color"], "field_not_found"), ([("COUNT", nil)], [:], "missing_key"),
            ]
            for (aggregates, groupBy, code) in rows {
                let reply = try await Self.aggregate(client, aggregates, groupBy: groupBy)
                #expect(reply.status == 400)
                #expect(reply.body.reasonCode == code, "\(aggregates): \(reply.body)")
            }
        }

        @Test func whereNothingWasEverSavedNothingIsFoundAndNothingCounted() async throws {
            let owner = try await SharedStack.current.client().inNewContainer()
            try await owner.save([.item("a", ["n": 1])])
            let client = owner.asAnotherUser()
            let found = try await client.find(zone: nil)
            #expect(found.status == 200 && found["records"] == [])
            let counted = try await Self.aggregate(client, [("COUNT", nil)], zone: nil)
            #expect(counted.status == 200 && Self.table(counted) == [[0]], "\(counted.body)")
            let explained = try await client.ask(.recordsExplain, .query(zone: nil))
            #expect(explained.status == 200)
            #expect(explained["plan"]?.string != nil && explained["records"] == nil, "\(explained.body)")
        }

        @Test func anExplanationNamesTheIndexOnceThereIsOne() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            // The records are so large that PostgreSQL prefers an index.
            let rest = JSONValue.string(String(repeating: "x", count: 1_000))
            try await client.save(
                (0..<2_000).map { .item("r\($0)", ["n": .int($0), "title": .string("t\($0)"), "rest": rest]) })
            func explain(_ format: String, sorts: [Sort] = []) async throws -> TestReply {
                let reply = try await client.ask(
                    .recordsExplain, .query("Item", format, sorts: sorts, with: [.init("resultsLimit", 10)]))
                try #require(reply.status == 200, "\(reply.body)")
                #expect(reply["plan"]?.string?.hasPrefix("Records of type 'Item' in one zone were read with ") == true)
                #expect(reply["milliseconds"]?.double ?? 0 > 0)
                #expect(reply["statement"]?.string?.contains("select") == true)
                return reply
            }
            let before = try await explain("n == 1000")
            #expect(before["indexes"]?.array?.contains { $0["field"] != nil } == false, "\(before.body)")
            #expect(before["rowsRead"]?.int ?? 0 >= 2_000)
            #expect(before["rowsReturned"] == 1)
            #expect(before.body.warnings.first?.contains("'n'") == true)
            _ = try await explain("title CONTAINS 't1999'")
            _ = try await explain("TRUEPREDICATE", sorts: [Sort(.field("n"), ascending: false)])
            try await client.untilIndexesAreReady()
            let rows: [(String, [Sort], String, String, Int64)] = [
                ("n == 1000", [], "n", "ordered", 2), ("title CONTAINS 't1999'", [], "title", "substring", 10),
                ("TRUEPREDICATE", [Sort(.field("n"), ascending: false)], "n", "ordered", 11),
            ]
            for (format, sorts, field, kind, atMost) in rows {
                // PostgreSQL chooses by statistics, which are collected after the index was built.
                let (after, index) = try await eventually("the index of '\(field)' is read") {
                    let after = try await explain(format, sorts: sorts)
                    let index = after["indexes"]?.array?.first { $0["field"] == .string(field) }
                    return index.map { (after, $0) }
                }
                #expect(index["kind"] == .string(kind), "\(format): \(after.body)")
                #expect(after["rowsRead"]?.int ?? .max <= atMost, "\(format): \(after.body)")
                #expect(after["plan"]?.string?.contains("'\(field)'") == true)
                #expect(after.body.warnings == [])
                #expect(after["decidedInMemory"] == false)
            }
            let memory = try await explain("title MATCHES 't19.9'")
            #expect(memory["decidedInMemory"] == true)
        }
    }
}

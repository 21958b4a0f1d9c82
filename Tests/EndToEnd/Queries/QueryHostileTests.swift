import AMQPClient
import CloudKitModel
import CloudKitQuery
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.QueryTests {
    /// Every hostile query is answered with an error that names the fault, and does not affect other callers.
    @Suite struct QueryHostileTests {
        /// The maximum growth of the services' memory, in bytes. Some requests have several megabytes.
        private static let memory = 150_000_000

        private static let injections = [
            "'; drop table record.record; --", "' or '1'='1", "title' is not null or 'a'='a", "\") or true --", "$1",
            "%s",
            "\\", "\\'", "';", "title\"", "fields->'title'", "1; select pg_sleep(60)", "title\u{2019}", "{x}", "a%",
            "a_",
        ]

        @Test func nothingThatIsSentBecomesSQL() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save(QueryForm.records)
            try await client.save(Self.injections.enumerated().map { .item("i\($0)", ["title": .string($1)]) })
            for (number, text) in Self.injections.enumerated() {
                let value = JSONValue.string(text)
                let names = ["i\(number)"]
                for comparator in ["EQUALS", "BEGINS_WITH", "CONTAINS", "ENDS_WITH", "IN"] {
                    let reply = try await client.query(filterBy: [.filter(comparator, "title", value)])
                    #expect(reply.body.recordNames.contains(names[0]), "\(comparator) \(text): \(reply.body)")
                    if comparator == "EQUALS" || comparator == "IN" { #expect(reply.body.recordNames == names) }
                }
                let folded = try await client.find("title CONTAINS[cd] %@", [.value(.string(text))])
                #expect(folded.body.recordNames.contains(names[0]))
                for comparator in ["LIKE", "CONTAINS_ALL_TOKENS"] {
                    #expect(try await client.query(filterBy: [.filter(comparator, "title", value)]).status == 200)
                }
                let refusals: [JSONValue] = [
                    .query(filterBy: [.filter("EQUALS", text, "a")]), .query(filterBy: [.filter(text, "title", "a")]),
                    .query(filterBy: ["comparator": "EQUALS", "systemFieldName": value, "fieldValue": ["value": "a"]]),
                    .query(filterBy: [.filter("EQUALS", "title", .typed("a", text))]),
                    .query(sortBy: [["fieldName": value]]), .query(sortBy: [["systemFieldName": value]]),
                    .query(with: [.init("continuationMarker", value)]), .query(text),
                    .query(filterBy: [
                        ["comparator": "EQUALS", "fieldName": "title", "fieldValue": ["value": "a"], "options": value]
                    ]),
                ]
                for body in refusals {
                    let reply = try await client.ask(.recordsQuery, body)
                    #expect(reply.status == 400 || reply.status == 404, "\(body): \(reply.body)")
                    #expect(["BAD_REQUEST", "NOT_FOUND"].contains(reply.body.errorCode ?? ""))
                }
                for members in [
                    JSONValue.Member("aggregates", [["function": value]]),
                    .init("aggregates", [["function": "MAX", "fieldName": value]]),
                    .init("groupBy", ["fieldName": value]),
                ] {
                    let reply = try await client.ask(.recordsAggregate, .query(with: [members]))
                    #expect(reply.body.errorCode == "BAD_REQUEST", "\(members): \(reply.body)")
                }
                #expect(try await client.find(zone: text).status >= 400)
                let keys = try await client.find("recordID == 'a'", with: [.init("desiredKeys", [value])])
                #expect(keys["records"]?[0]?.values == [:])
            }
            #expect(try await client.find().body.recordNames.count == QueryForm.records.count + Self.injections.count)
        }

        @Test func invalidTextsAreRefused() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save(QueryForm.records)
            let patterns = [
                #"{"comparator":"EQUALS","fieldName":"title","fieldValue":{"value":"X"}}"#,
                #"{"comparator":"MATCHES","fieldName":"title","fieldValue":{"value":"X"}}"#,
                #"{"comparator":"LIKE","fieldName":"title","fieldValue":{"value":"X"}}"#,
                #"{"comparator":"IN","fieldName":"title","fieldValue":{"value":["a","X"]}}"#,
                #"{"comparator":"CONTAINS_ALL_TOKENS","fieldValue":{"value":"X"}}"#,
                #"{"comparator":"EQUALS","fieldName":"X","fieldValue":{"value":"a"}}"#,
                #"{"comparator":"EQUALS","systemFieldName":"recordName","fieldValue":{"value":"X"}}"#,
                #"{"comparator":"EQUALS","fieldName":"other","fieldValue":{"value":{"recordName":"X"}}}"#,
                #"{"comparator":"X","fieldName":"title","fieldValue":{"value":"a"}}"#,
            ]
            for pattern in patterns {
                for escape in [#"\u0000"#, #"\ud800"#, #"\udc00a"#, #"\ud800\ud800"#, #"\uZZZZ"#, "\u{0}"] {
                    let filter = pattern.replacing("X", with: "a\(escape)b")
                    let body = #"{"zoneID":{"zoneName":"Z"},"query":{"recordType":"Item","filterBy":[\#(filter)]}}"#
                    let reply = try await client.ask(client.message(.recordsQuery, Array(body.utf8)))
                    #expect(reply.status == 400 && reply.body.errorCode == "BAD_REQUEST", "\(filter): \(reply.body)")
                }
            }
            let invalid = Array(#"{"query":{"recordType":"It"#.utf8) + [0xFF, 0xC0, 0xAF] + Array(#"em"}}"#.utf8)
            #expect(try await client.ask(client.message(.recordsQuery, invalid)).status == 400)
        }

        @Test func whatIsTooLargeIsRefusedByItsLimit() async throws {
            let stack = try SharedStack.current
            let client = try await stack.client().inNewContainer()
            try await client.save(QueryForm.records)
            var before: [Int] = []
            for service in stack.services { before.append(try await service.peakMemory()) }
            func refuse(_ filterBy: JSONValue, _ code: String, limit: Int64? = nil) async throws {
                for operation in [ServiceMessages.Operation.recordsQuery, .recordsAggregate, .recordsExplain] {
                    let reply = try await client.ask(operation, .query(filterBy: filterBy))
                    #expect(reply.status == 400)
                    #expect(reply.body.reasonCode == code, "\(operation): \(reply.body)")
                    if let limit { #expect(reply["limit"] == .int(limit)) }
                }
            }
            let megabyte = JSONValue.string(String(repeating: "ab", count: 500_000))
            for comparator in ["EQUALS", "CONTAINS", "BEGINS_WITH", "CONTAINS_ALL_TOKENS"] {
                try await refuse([.filter(comparator, "title", megabyte)], "predicate_too_large", limit: 16_384)
            }
            try await refuse([.filter("LIKE", "title", megabyte)], "predicate_too_large", limit: 1_024)
            let expression = try await client.query(filterBy: [.filter("MATCHES", "title", megabyte)])
            #expect(["predicate_too_large", "regular_expression_invalid"].contains(expression.body.reasonCode ?? ""))
            let one = JSONValue.filter("EQUALS", "n", 1)
            try await refuse(.array(Array(repeating: one, count: 10_000)), "predicate_too_large", limit: 256)
            try await refuse(
                [.filter("IN", "n", .array((0..<100_000).map { .int($0) }))], "predicate_too_large", limit: 1_000)
            try await refuse(
                [.filter("LIST_CONTAINS_ALL", "scores", .array((0..<100_000).map { .int($0) }))], "predicate_too_large",
                limit: 1_000)
            let either: JSONValue = ["or": [one, .filter("EQUALS", "n", 2)]]
            try await refuse(.array(Array(repeating: either, count: 7)), "predicate_too_large", limit: 64)
            #expect(try await client.query(filterBy: .array(Array(repeating: either, count: 6))).status == 200)
            try await refuse(["or": .array(Array(repeating: one, count: 65))], "predicate_too_large", limit: 64)
            var deep = one
            for _ in 0..<25 { deep = ["not": deep] }
            try await refuse([deep], "predicate_too_large", limit: 24)
            let sorts = try await client.query(sortBy: .array(Array(repeating: ["fieldName": "n"], count: 17)))
            #expect(sorts.status == 400, "\(sorts.body)")
            for (open, close) in [(#"{"not":"#, "}"), (#"{"and":["#, "]}"), ("[", "]"), (#"{"x":"#, "}")] {
                let nested = String(repeating: open, count: 10_000) + "1" + String(repeating: close, count: 10_000)
                let body = #"{"query":{"recordType":"Item","filterBy":\#(nested)}}"#
                let reply = try await client.ask(client.message(.recordsQuery, Array(body.utf8)))
                #expect(reply.status == 400 && reply.body.errorCode == "BAD_REQUEST", "\(open): \(reply.body)")
            }
            for (service, before) in zip(stack.services, before) {
                let grown = try await service.peakMemory() - before
                #expect(grown < Self.memory, "\(grown / 1_000_000) MB more")
            }
            #expect(try await client.find("n == 1").body.recordNames == ["a"])
        }

        @Test func parenthesesInAFormatEndSomewhere() {
            for format in [
                String(repeating: "(", count: 10_000) + "n == 1" + String(repeating: ")", count: 10_000),
                String(repeating: "NOT ", count: 10_000) + "n == 1", String(repeating: "(", count: 10_000),
                String(repeating: "{", count: 10_000), "n IN " + String(repeating: "{", count: 10_000),
                "n == " + String(repeating: "CAST(", count: 5_000),
                Array(repeating: "n == 1", count: 5_000).joined(separator: " AND "),
            ] {
                #expect(throws: PredicateFormatError.self) { try Predicate(format: format, now: 0) }
            }
        }

        /// Patterns for which a backtracking engine would practically never finish.
        @Test func aPatternThatIsMeantToTakeForeverDoesNot() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            // (The service allows some seconds for each text, which is not much for a debug build on a busy machine.)
            let text = String(repeating: "a", count: 200_000)
            try await client.save([.item("large", ["title": .string(text)]), .item("small", ["title": "ab"])])
            let none = [JSONValue.Member("desiredKeys", [])]
            for (pattern, expected) in [("(a|aa)+b", ["small"]), ("(a*)*", ["large"])] {
                // A page may end because its time has passed. The rest is in the next page.
                let found = try await client.walk(
                    "title MATCHES %@", [.value(.string(pattern))], limit: 10, with: none)
                #expect(found == expected, "\(pattern)")
            }
            let wildcards = String(repeating: "*a", count: 500) + "*b"
            let like = try await client.find("title LIKE %@", [.value(.string(wildcards))], with: none)
            #expect(like.status == 200 && like.body.recordNames == [])
        }
    }
}

import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.QueryTests {
    /// Filters and sorts in the form of web services (web-services 3.7).
    @Suite struct QueryFilterTests {
        private typealias Row = (filter: JSONValue, expected: String)

        private static func near(_ metres: JSONValue) -> JSONValue {
            .object(
                (JSONValue.filter("NEAR", "place", .place(37.3318, -122.0312)).members ?? []) + [
                    .init("distance", metres)
                ])
        }

        private static func words(_ comparator: String, _ words: JSONValue) -> JSONValue {
            ["comparator": .string(comparator), "fieldValue": ["value": words]]
        }

        private static func system(_ comparator: String, _ field: String, _ value: JSONValue) -> JSONValue {
            ["comparator": .string(comparator), "systemFieldName": .string(field), "fieldValue": value]
        }

        /// Comparators with the records of ``QueryForm/records`` that they match. NOT… also matches records without the
        /// field.
        private static let comparators: [Row] = [
            (.filter("EQUALS", "title", "Apple pie"), "a"),
            (.filter("NOT_EQUALS", "title", "Apple pie"), "bcdep"),
            (.filter("LESS_THAN", "n", 2), "ae"),
            (.filter("LESS_THAN_OR_EQUALS", "n", 2), "abep"),
            (.filter("GREATER_THAN", "at", .moment(1_000)), "bcd"),
            (.filter("GREATER_THAN_OR_EQUALS", "title", "a"), "bcp"),
            (near(20_000), "ab"),
            (near(0.5), "a"),
            (.filter("CONTAINS_ALL_TOKENS", "title", "PIE apple"), "a"),
            (words("CONTAINS_ALL_TOKENS", "cinnamon apple"), "a"),
            (.filter("CONTAINS_ANY_TOKENS", "title", "pie bread"), "ad"),
            (words("CONTAINS_ANY_TOKENS", "day apfel"), "cd"),
            (.filter("IN", "n", .typed([1, 10], "INT64_LIST")), "ad"),
            (.filter("NOT_IN", "n", .typed([1, 10], "INT64_LIST")), "bcefp"),
            (.filter("BEGINS_WITH", "title", "A"), "a"),
            (.filter("NOT_BEGINS_WITH", "title", "A"), "bcdefp"),
            (.filter("LIST_CONTAINS", "tags", "sweet"), "ae"),
            (.filter("NOT_LIST_CONTAINS", "tags", "sweet"), "bcdfp"),
            (.filter("LIST_CONTAINS_ANY", "tags", .typed(["red", "green"], "STRING_LIST")), "ade"),
            (.filter("CONTAINS_ANY", "tags", ["red", "green"]), "ade"),
            (.filter("NOT_LIST_CONTAINS_ANY", "tags", ["red", "green"]), "bcfp"),
            (.filter("LIST_NOT_CONTAINS", "tags", "sweet"), "bcdfp"),
            (.filter("LIST_NOT_CONTAINS_ANY", "tags", ["red", "green"]), "bcfp"),
            (.filter("NOT_EXISTS", "place"), "efp"),
            (.filter("LIST_MEMBER_GREATER_THAN", "scores", 2), "bd"),
            (.filter("LIST_CONTAINS_ALL", "tags", ["sweet", "green"]), "e"),
            (.filter("NOT_LIST_CONTAINS_ALL", "tags", ["sweet", "green"]), "abcdfp"),
            (.filter("LIST_MEMBER_BEGINS_WITH", "tags", "s"), "abe"),
            (.filter("NOT_LIST_MEMBER_BEGINS_WITH", "tags", "s"), "cdfp"),
        ]

        private static let systemFields: [Row] = [
            (.filter("EQUALS", "___recordID", .link("a")), "a"),
            (.filter("EQUALS", "___recordId", "a"), "a"),
            (system("IN", "recordName", ["value": ["a", "b"]]), "ab"),
            (system("GREATER_THAN", "createdTimestamp", .moment(0)), "abcdefp"),
            (.filter("LESS_THAN", "___modTime", .moment(0)), ""),
            (system("EQUALS", "createdUserRecordName", .link("__defaultOwner__")), "abcdefp"),
            (.filter("NOT_EQUALS", "___modifiedBy", .link("__defaultOwner__")), ""),
            (system("EQUALS", "parent", .link("a")), "p"),
            (system("EQUALS", "share", .link("a")), ""),
        ]

        private static let compounds: [Row] = [
            ([["or": [.filter("EQUALS", "n", 1), .filter("EQUALS", "n", 10)]], .filter("EXISTS", "note")], "ad"),
            (["not": .filter("EXISTS", "place")], "efp"),
            (["and": []], "abcdefp"),
            (["or": []], ""),
            ([], "abcdefp"),
            ([.filter("GREATER_THAN", "n", 0), .filter("LIST_CONTAINS", "scores", 1)], "ad"),
        ]

        @Test func everyComparatorFindsItsRecords() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save(QueryForm.records)
            for (filter, expected) in Self.comparators + Self.systemFields + Self.compounds {
                let reply = try await client.query(filterBy: filter)
                #expect(
                    reply.body.recordNames == expected.map(String.init), "\(filter): \(reply.body["reason"] ?? nil)")
            }
        }

        @Test func filtersAndSortsMayStandAloneAndListsMayBeUntagged() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save(QueryForm.records)
            let one = try await client.query(
                filterBy: .filter("IN", "n", [1, 10, 2]), sortBy: ["fieldName": "n", "ascending": false])
            #expect(one.body.recordNames == ["d", "p", "b", "a"])
            // The value is tagged as a list without element type, or as one of its elements.
            for type in ["LIST", "UNKNOWN_LIST", "STRING_LIST", "STRING"] {
                let tagged = try await client.query(
                    filterBy: [.filter("IN", "title", .typed(["Apple pie", ""], type))])
                #expect(tagged.body.recordNames == ["a", "e"], "\(type): \(tagged.body)")
            }
            let contradictory = try await client.query(filterBy: [.filter("IN", "n", .typed([1, 10], "STRING_LIST"))])
            #expect(contradictory.body.reasonCode == "invalid_value")
            let single = try await client.query(filterBy: [.filter("IN", "title", "Apple pie")])
            #expect(single.body.recordNames == ["a"])
            let bare = try await client.query(
                filterBy: [.filter("EXISTS", "place")],
                sortBy: [["fieldName": "place", "relativeLocation": ["latitude": 37.7, "longitude": -122.4]]])
            #expect(bare.body.recordNames == ["c", "b", "a", "d"])
            let nothing = try await client.query(filterBy: nil, sortBy: [])
            #expect(nothing.body.recordNames.count == 7)
        }

        struct Refusal: Sendable, CustomTestStringConvertible {
            let filter: JSONValue
            let reasonCode: String
            var reason: String?
            var testDescription: String { "\(reasonCode): \(filter)" }
        }

        private static let refusals: [Refusal] = [
            .init(filter: .filter("SOUNDS_LIKE", "title", "a"), reasonCode: "unknown_comparator"),
            .init(filter: .filter("equals", "title", "a"), reasonCode: "unknown_comparator"),
            .init(filter: .filter("NOT_NOT_EQUALS", "title", "a"), reasonCode: "unknown_comparator"),
            .init(
                filter: .filter("EQUALS", "at", "soon"), reasonCode: "invalid_value",
                reason: "Invalid value, expected type TIMESTAMP"),
            .init(
                filter: .filter("EQUALS", "x", "one"), reasonCode: "invalid_value",
                reason: "Invalid value, expected type DOUBLE"),
            .init(
                filter: .filter("EQUALS", "recordName", "a"), reasonCode: "field_not_found",
                reason: "Did not find field: 'recordName' in type: 'Item'"),
            .init(
                filter: .filter("EQUALS", "color", "red"), reasonCode: "field_not_found",
                reason: "Did not find field: 'color' in type: 'Item'"),
            .init(filter: .filter("EQUALS", "tags", "red"), reasonCode: "not_comparable"),
            .init(filter: .filter("LIST_CONTAINS", "title", "red"), reasonCode: "not_comparable"),
            .init(filter: .filter("EQUALS", "place", .place(1, 1)), reasonCode: "not_comparable"),
            .init(filter: .filter("BEGINS_WITH", "n", "1"), reasonCode: "not_comparable"),
            .init(filter: .filter("NEAR", "place", .place(1, 1)), reasonCode: "filter_invalid"),
            .init(filter: near(-1), reasonCode: "filter_invalid"),
            .init(filter: .filter("BETWEEN", "n", [1, 2, 3]), reasonCode: "filter_invalid"),
            .init(filter: .filter("EQUALS", "title"), reasonCode: "filter_invalid"),
            .init(filter: system("EQUALS", "birthday", .moment(0)), reasonCode: "field_not_found"),
            .init(filter: ["fieldName": "title", "fieldValue": ["value": "a"]], reasonCode: "missing_key"),
            .init(filter: ["comparator": "EQUALS", "fieldValue": ["value": "a"]], reasonCode: "missing_key"),
            .init(filter: .filter("MATCHES", "title", "("), reasonCode: "regular_expression_invalid"),
        ]

        @Test func whatMakesNoSenseIsRefusedByName() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save(QueryForm.records)
            for refusal in Self.refusals {
                let reply = try await client.query(filterBy: [refusal.filter])
                #expect(reply.status == 400 && reply.body.errorCode == "BAD_REQUEST", "\(refusal.filter)")
                #expect(reply.body.reasonCode == refusal.reasonCode, "\(refusal.filter): \(reply.body)")
                if let reason = refusal.reason { #expect(reply["reason"]?.string == reason) }
            }
            let unknown = try await client.query("Poodle")
            #expect(unknown.status == 404)
            #expect(unknown.body.errorCode == "NOT_FOUND")
            #expect(unknown["reason"] == "Did not find record type: Poodle")
            let users = try await client.query("Users")
            #expect(users.body.errorCode == "BAD_REQUEST")
            #expect(users["ckErrorCode"] == 12)
            #expect(users.body.reasonCode == "type_not_queryable")
        }

        @Test func sortsThatMakeNoSenseAreRefusedByName() async throws {
            let client = try await SharedStack.current.client().inNewContainer()
            try await client.save(QueryForm.records)
            let centre: JSONValue = ["latitude": 1, "longitude": 1]
            let rows: [(JSONValue, String)] = [
                (["fieldName": "color"], "field_not_found"), (["fieldName": "tags"], "sort_invalid"),
                (["fieldName": "place"], "sort_invalid"),
                (["fieldName": "place", "ascending": false, "relativeLocation": centre], "sort_invalid"),
                (["fieldName": "n", "relativeLocation": centre], "sort_invalid"), (["ascending": true], "missing_key"),
            ]
            for (sort, code) in rows {
                let reply = try await client.query(sortBy: [sort])
                #expect(reply.status == 400)
                #expect(reply.body.reasonCode == code, "\(sort): \(reply.body)")
            }
        }
    }
}

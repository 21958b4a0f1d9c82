import CloudKitModel
import CloudKitQuery
import CloudKitWire
import TestGenerators
import Testing

import class Foundation.JSONDecoder
import class Foundation.JSONEncoder

/// The conversion of web services filters to and from the tree.
struct FilterTests {
    /// A comparator, the rest of its filter, and the equivalent format.
    private static let filters: [(comparator: String, rest: String, format: String)] = [
        ("EQUALS", #""fieldName":"n","fieldValue":{"value":5,"type":"INT64"}"#, "n == 5"),
        ("NOT_EQUALS", #""fieldName":"n","fieldValue":{"value":5,"type":"INT64"}"#, "n != 5"),
        ("LESS_THAN", #""fieldName":"n","fieldValue":{"value":5,"type":"INT64"}"#, "n < 5"),
        ("LESS_THAN_OR_EQUALS", #""fieldName":"n","fieldValue":{"value":5,"type":"INT64"}"#, "n <= 5"),
        ("GREATER_THAN", #""fieldName":"x","fieldValue":{"value":0.5,"type":"DOUBLE"}"#, "x > 0.5"),
        ("GREATER_THAN_OR_EQUALS", #""fieldName":"x","fieldValue":{"value":0.5,"type":"DOUBLE"}"#, "x >= 0.5"),
        (
            "NEAR",
            #""fieldName":"p","fieldValue":{"value":{"latitude":48.5,"longitude":2.5},"type":"LOCATION"},"distance":1000"#,
            "distanceToLocation:fromLocation:(p, location(48.5, 2.5)) <= 1000"
        ),
        ("CONTAINS_ALL_TOKENS", #""fieldValue":{"value":"bob smith","type":"STRING"}"#, "self CONTAINS 'bob smith'"),
        (
            "CONTAINS_ANY_TOKENS", #""fieldName":"t","fieldValue":{"value":"bob","type":"STRING"}"#,
            "ANY tokenize('bob', 'Cdl') IN t"
        ),
        ("IN", #""fieldName":"n","fieldValue":{"value":[1,2],"type":"INT64_LIST"}"#, "n IN {1, 2}"),
        ("NOT_IN", #""fieldName":"n","fieldValue":{"value":[1,2],"type":"INT64_LIST"}"#, "NOT (n IN {1, 2})"),
        ("LIST_CONTAINS", #""fieldName":"l","fieldValue":{"value":"a","type":"STRING"}"#, "'a' IN l"),
        ("NOT_LIST_CONTAINS", #""fieldName":"l","fieldValue":{"value":"a","type":"STRING"}"#, "NOT ANY l == 'a'"),
        (
            "LIST_CONTAINS_ANY", #""fieldName":"l","fieldValue":{"value":["a","b"],"type":"STRING_LIST"}"#,
            "ANY l IN {'a', 'b'}"
        ),
        (
            "NOT_LIST_CONTAINS_ANY", #""fieldName":"l","fieldValue":{"value":["a"],"type":"STRING_LIST"}"#,
            "NOT ANY l IN {'a'}"
        ),
        (
            "LIST_CONTAINS_ALL", #""fieldName":"l","fieldValue":{"value":["a","b"],"type":"STRING_LIST"}"#,
            "ALL {'a', 'b'} IN l"
        ),
        (
            "NOT_LIST_CONTAINS_ALL", #""fieldName":"l","fieldValue":{"value":["a"],"type":"STRING_LIST"}"#,
            "NOT (l CONTAINS {'a'})"
        ),
        ("BEGINS_WITH", #""fieldName":"t","fieldValue":{"value":"p","type":"STRING"}"#, "t BEGINSWITH 'p'"),
        ("NOT_BEGINS_WITH", #""fieldName":"t","fieldValue":{"value":"p","type":"STRING"}"#, "NOT t BEGINSWITH 'p'"),
        (
            "LIST_MEMBER_BEGINS_WITH", #""fieldName":"l","fieldValue":{"value":"p","type":"STRING"}"#,
            "ANY l BEGINSWITH 'p'"
        ),
        (
            "NOT_LIST_MEMBER_BEGINS_WITH", #""fieldName":"l","fieldValue":{"value":"p","type":"STRING"}"#,
            "NONE l BEGINSWITH 'p'"
        ),
        (
            "CONTAINS", #""fieldName":"t","fieldValue":{"value":"p","type":"STRING"},"options":"cd""#,
            "t CONTAINS[cd] 'p'"
        ),
        ("BETWEEN", #""fieldName":"n","fieldValue":{"value":[1,9],"type":"INT64_LIST"}"#, "n BETWEEN {1, 9}"),
        ("EXISTS", #""fieldName":"t""#, "t != nil"), ("NOT_EXISTS", #""fieldName":"t""#, "t == nil"),
        (
            "EQUALS", #""systemFieldName":"createdTimestamp","fieldValue":{"value":0,"type":"TIMESTAMP"}"#,
            "creationDate == CAST(-978307200, 'NSDate')"
        ),
    ]

    @Test(arguments: filters)
    func aFilterAndAFormatSayTheSame(filter: (comparator: String, rest: String, format: String)) throws {
        let json = #"{"comparator":"\#(filter.comparator)",\#(filter.rest)}"#
        let tree = try Predicate(format: filter.format, now: 0)
        #expect(try Predicate(parsing: Array(json.utf8)) == tree)
        #expect(tree.json["comparator"]?.string == filter.comparator, "\(tree.json)")
        #expect(try Predicate(parsing: tree.json.encoded()) == tree)
    }

    @Test func otherSpellingsAreRead() throws {
        func read(_ json: String) throws -> Predicate { try Predicate(parsing: Array(json.utf8)) }
        let any = try read(#"{"comparator":"CONTAINS_ANY","fieldName":"l","fieldValue":{"value":["a"]}}"#)
        #expect(any == (try Predicate(format: "ANY l IN {'a'}", now: 0)))
        let name = try read(#"{"comparator":"EQUALS","fieldName":"___recordId","fieldValue":{"value":"a"}}"#)
        #expect(name == (try Predicate(format: "recordID == 'a'", now: 0)))
        let single = try read(#"{"comparator":"IN","fieldName":"n","fieldValue":{"value":1,"type":"INT64"}}"#)
        #expect(single == (try Predicate(format: "n IN {1}", now: 0)))
        let tagged = try read(#"{"comparator":"IN","fieldName":"n","fieldValue":{"value":[1,2],"type":"INT64"}}"#)
        #expect(tagged == (try Predicate(format: "n IN {1, 2}", now: 0)))
        let none = try read(#"{"comparator":"LIST_NOT_CONTAINS","fieldName":"l","fieldValue":{"value":"a"}}"#)
        #expect(none == (try Predicate(format: "NONE l == 'a'", now: 0)))
        let own = try read(#"{"comparator":"EQUALS","fieldName":"recordName","fieldValue":{"value":"a"}}"#)
        #expect(own == .comparison(Comparison(.field("recordName"), .value, .relation(.equal, .string("a")))))
    }

    @Test(arguments: [
        (#"{"comparator":"SOUNDS_LIKE","fieldName":"t","fieldValue":{"value":"a"}}"#, "unknown_comparator", "t"),
        (#"{"comparator":"EQUALS","fieldValue":{"value":"a"}}"#, "missing_key", "fieldName"),
        (#"{"comparator":"EQUALS","fieldName":"t"}"#, "filter_invalid", "t"),
        (#"{"fieldName":"t","fieldValue":{"value":"a"}}"#, "missing_key", "comparator"),
        (#"{"comparator":"EQUALS","systemFieldName":"size","fieldValue":{"value":"a"}}"#, "field_not_found", "size"),
        (#"{"comparator":"NEAR","fieldName":"p","fieldValue":{"value":"a"},"distance":1}"#, "filter_invalid", "p"),
        (#"{"comparator":"BETWEEN","fieldName":"n","fieldValue":{"value":[1]}}"#, "filter_invalid", "n"),
        (#"{"comparator":"LIKE","fieldName":"n","fieldValue":{"value":5}}"#, "filter_invalid", "n"),
        (
            #"{"comparator":"EQUALS","fieldName":"t","fieldValue":{"value":"a"},"options":"x"}"#, "filter_invalid", "t"
        ),
        (#"{"comparator":"EQUALS","and":[]}"#, "filter_invalid", "comparator"),
        (#"{"comparator":"EQUALS","fieldName":"t","fieldValue":{"value":"\u0000"}}"#, "nul_in_string", "t"),
        (#"{"comparator":"EQUALS","fieldName":"t","fieldValue":{"value":"\ud800"}}"#, "lone_surrogate", "t"),
        (#"{"not":"x"}"#, "wrong_kind", "filterBy"),
    ])
    func anInvalidFilterIsRefusedWithItsField(json: String, code: String, field: String) {
        do throws(ServerError) {
            let read = try Predicate(parsing: Array(json.utf8))
            Issue.record("\(read)")
        } catch {
            #expect(error.reasonCode == code)
            #expect(error.field == field)
            #expect(error.code == .badRequest)
        }
    }

    @Test(arguments: 0..<20)
    func everyTreeComesBackAsItWasSent(seed: Int) throws {
        var random = RandomPredicates(seed: seed)
        for _ in 0..<50 {
            let tree = random.predicate(depth: 3).flattened
            let query = Query(recordType: "T", predicate: tree, sorts: [Sort(.field("n"), ascending: false)])
            var writer = WireWriter()
            writer.queryRecords(QueryRecordsRequest(query: query.wire))
            let read = try QueryRecordsRequest(decoding: writer.bytes)
            // Mixed lists of numbers become lists of doubles, which have the same meaning.
            #expect(try Query(read.query).predicate.format == tree.format)
        }
    }

    @Test func theTreeIsCodable() throws {
        let tree = try Predicate(format: "a == 1 AND (NOT b BEGINSWITH[c] 'x' OR c IN {1.5, 2.5}) AND d == nil", now: 0)
        let data = try JSONEncoder().encode(tree)
        #expect(try JSONDecoder().decode(Predicate.self, from: data) == tree)
        for constant in [Predicate.all, .nothing] {
            #expect(try JSONDecoder().decode(Predicate.self, from: JSONEncoder().encode(constant)) == constant)
        }
    }
}

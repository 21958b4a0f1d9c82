import CloudKitModel
import CloudKitQuery
import CloudKitWire
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Aggregates over the records that a query finds, and the explanation of queries.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct AggregateTests {
    private static func filled(_ database: RecordDatabase) async throws {
        let zone = try await database.zone()
        try await database.write(
            try database.request(
                zone,
                (0..<30).map { number in
                    var fields: [String: JSONValue] = ["n": .int(Int64(number)), "half": .double(Double(number) / 2)]
                    if number % 4 != 0 { fields["kind"] = .string(["a", "b", "c"][Int(number % 3)]) }
                    return database.operation("create", "r\(number)", fields)
                }))
    }

    private static func ask(
        _ database: RecordDatabase, _ format: String, _ rest: [JSONValue.Member] = [],
        _ operation: ServiceMessages.Operation = .recordsAggregate
    ) async throws -> JSONValue {
        let tree = try Predicate(format: format, now: 0).json
        return try await database.ask(
            operation,
            .object(
                [
                    .init("query", ["recordType": "Photo", "filterBy": [tree]]),
                    .init("zoneID", ["zoneName": "Z"]),
                ] + rest))
    }

    @Test func withoutAnythingElseTheRecordsAreCounted() async throws {
        try await RecordDatabase.with { database in
            try await Self.filled(database)
            for (format, count) in [("TRUEPREDICATE", 30), ("n >= 20", 10), ("kind MATCHES '[ab]'", 14), ("n < 0", 0)] {
                let answer = try await Self.ask(database, format)
                let value = answer["results"]?[0]?["aggregates"]?[0]?["value"]
                #expect(value?["value"]?.int == Int64(count), "\(format): \(answer)")
                #expect(value?["type"] == "INT64")
            }
        }
    }

    @Test func valuesHaveTheTypesOfTheirFields() async throws {
        try await RecordDatabase.with { database in
            try await Self.filled(database)
            let wanted: JSONValue = [
                ["function": "MIN", "fieldName": "n"], ["function": "MAX", "fieldName": "kind"],
                ["function": "SUM", "fieldName": "n"], ["function": "AVG", "fieldName": "n"],
                ["function": "SUM", "fieldName": "half"], ["function": "COUNT", "fieldName": "kind"],
                ["function": "MAX", "systemFieldName": "createdTimestamp"],
            ]
            let answer = try await Self.ask(database, "n > 3", [.init("aggregates", wanted)])
            let values = try #require(answer["results"]?[0]?["aggregates"]?.array, "\(answer)").map { $0["value"] }
            #expect(
                values.prefix(4) == [
                    ["value": 4, "type": "INT64"], ["value": "c", "type": "STRING"], ["value": 429, "type": "INT64"],
                    ["value": 16.5, "type": "DOUBLE"],
                ])
            #expect(values[4]?["value"]?.double == 214.5)
            #expect(values[5] == ["value": 19, "type": "INT64"])
            #expect(values[6]?["type"] == "TIMESTAMP")
            let none = try await Self.ask(database, "n > 99", [.init("aggregates", wanted)])
            #expect(none["results"]?[0]?["aggregates"]?[0]?["value"]?.isNull == true)
        }
    }

    @Test func groupsComeInOrderThoseWithoutAValueLast() async throws {
        try await RecordDatabase.with { database in
            try await Self.filled(database)
            let by: [JSONValue.Member] = [.init("groupBy", ["fieldName": "kind"])]
            let answer = try await Self.ask(database, "TRUEPREDICATE", by)
            let groups = try #require(answer["results"]?.array, "\(answer)").map {
                "\($0["group"]?["value"]?.string ?? "-")\($0["aggregates"]?[0]?["value"]?["value"]?.int ?? 0)"
            }
            #expect(groups == ["a7", "b7", "c8", "-8"])
            var store = database.store
            store.limits.maxGroups = 2
            let small = RecordDatabase(pool: database.pool, superuser: database.superuser, store: store)
            #expect(try await Self.ask(small, "TRUEPREDICATE", by)["reasonCode"] == "too_many_groups")
        }
    }

    @Test(
        arguments: [
            (["function": "MEDIAN", "fieldName": "n"], "aggregate_invalid"),
            (["function": "SUM", "fieldName": "kind"], "aggregate_invalid"), (["function": "SUM"], "aggregate_invalid"),
            (["function": "MIN", "fieldName": "nothing"], "field_not_found"), (["fieldName": "n"], "missing_key"),
        ] as [(JSONValue, String)])
    func whatCannotBeCountedIsRefused(aggregate: JSONValue, code: String) async throws {
        try await RecordDatabase.with { database in
            try await Self.filled(database)
            let answer = try await Self.ask(database, "n > 3", [.init("aggregates", [aggregate])])
            #expect(answer["reasonCode"]?.string == code, "\(answer)")
        }
    }

    @Test func anExplanationNamesTheIndexAndWhatWasRead() async throws {
        try await RecordDatabase.with { database in
            try await Self.filled(database)
            let before = try await Self.ask(database, "n == 7", [], .recordsExplain)
            #expect(before["warnings"]?.array?.count == 1, "\(before)")
            #expect((before["rowsRead"]?.int ?? 0) >= 30)
            try await database.buildIndexes()
            let after = try await Self.ask(database, "n == 7", [], .recordsExplain)
            #expect(after["indexes"]?[0]?["field"] == "n", "\(after)")
            #expect(after["rowsRead"] == 1)
            #expect(after["rowsReturned"] == 1)
            #expect(after["plan"]?.string?.contains("the value index of 'n'") == true)
            #expect((after["milliseconds"]?.double ?? -1) > 0)
            #expect(after["decidedInMemory"] == false)
        }
    }
}

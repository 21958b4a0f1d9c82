import CloudKitWire
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct NumberTests {
    /// Numbers as in JSON. Only `jsonb` determines how their digits are stored.
    private static let numbers: [(value: JSONValue, type: String)] = [
        (1, "INT64"), (.double(1), "DOUBLE"), (0.5, "DOUBLE"), (.int(9_007_199_254_740_993), "INT64"),
        (.int(.min), "INT64"), (.double(1e16), "DOUBLE"), (.double(1e300), "DOUBLE"), (.double(5e-324), "DOUBLE"),
    ]

    @Test func aFieldExtendedFromAnUndeclaredNumberKeepsEachNumberUnchanged() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let names = Self.numbers.indices.map { "r\($0)" }
            for (name, number) in zip(names, Self.numbers) {
                let save = database.operation("create", name, ["n": number.value])
                let answer = try await database.write(try database.request(zone, save)).answers[0]
                #expect(answer["records"]?[0]?["fields"]?["n"]?["type"]?.string == number.type)
            }
            let found = try await database.ask(
                .recordsLookup,
                [
                    "zoneID": ["zoneName": "Z"],
                    "records": .array(names.map { ["recordName": .string($0)] }),
                ])
            for (record, number) in zip(try #require(found["records"]?.array), Self.numbers) {
                #expect(record["fields"]?["n"] == ["value": number.value, "type": .string(number.type)])
            }
        }
    }
}

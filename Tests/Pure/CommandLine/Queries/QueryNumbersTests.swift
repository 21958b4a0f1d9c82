import ArgumentParser
import CloudKitWire
import ServiceMessages
import Testing

@testable import CommandLine
@testable import CommandLineSession

@Suite struct QueryNumbersTests {
    private static func number(_ value: JSONValue, _ type: String) -> JSONValue {
        ["value": ["value": value, "type": .string(type)]]
    }

    @Test(
        arguments: [
            ("--type T", #"{"query":{"recordType":"T"},"aggregates":[{"function":"COUNT"}]}"#),
            (
                "--type T --zone Z --by country --sum price --max creationDate --min price --avg price n>5",
                #"{"query":{"recordType":"T","filterBy":[{"comparator":"GREATER_THAN","fieldName":"n","fieldValue":{"value":5,"type":"INT64"}}]},"zoneID":{"zoneName":"Z"},"aggregates":[{"function":"COUNT"},{"function":"MIN","fieldName":"price"},{"function":"MAX","systemFieldName":"createdTimestamp"},{"function":"SUM","fieldName":"price"},{"function":"AVG","fieldName":"price"}],"groupBy":{"fieldName":"country"}}"#
            ),
            (
                "--type T --by creatorUserRecordID",
                #"{"query":{"recordType":"T"},"aggregates":[{"function":"COUNT"}],"groupBy":{"systemFieldName":"createdUserRecordName"}}"#
            ),
        ])
    func countedAndGroupedFieldsBecomeARequest(line: String, body: String) throws {
        let request = try RecordCount.parse(line.split(separator: " ").map(String.init)).request(now: 0)
        #expect(request.operation == .recordsAggregate)
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        _ = try AggregateRecordsRequest(decoding: request.body)
    }

    @Test func aCountAloneIsANumberAlsoOfNothing() throws {
        let answer: JSONValue = ["results": [["aggregates": [Self.number(12_345, "INT64")]]]]
        #expect(try RecordCount.parse(["--type", "T"]).lines(answer) == ["12345"])
        #expect(try RecordCount.parse(["--type", "T"]).lines(["records": []]) == ["0"])
        #expect(
            try RecordCount.parse(["--type", "T", "--json"]).lines(answer)
                == [#"{"aggregates":[{"value":{"value":12345,"type":"INT64"}}]}"#])
    }

    @Test func severalNumbersAreATableWithALineForEachGroup() throws {
        let answer: JSONValue = [
            "results": [
                [
                    "group": ["value": "France", "type": "STRING"],
                    "aggregates": [
                        Self.number(2, "INT64"), Self.number(1_768_500_000_000, "TIMESTAMP"),
                        Self.number(2.5, "DOUBLE"),
                    ],
                ],
                ["group": nil, "aggregates": [Self.number(1, "INT64"), ["value": nil], ["value": nil]]],
            ]
        ]
        let command = try RecordCount.parse(
            ["--type", "T", "--by", "country", "--max", "creationDate", "--avg", "price"])
        #expect(
            command.lines(answer) == [
                "country  COUNT  MAX creationDate      AVG price", "France   2      2026-01-15T18:00:00Z  2.5",
                "-        1      -                     -",
            ])
        #expect(try RecordCount.parse(["--type", "T", "--sum", "n"]).lines(["results": []]) == ["COUNT  SUM n"])
    }

    @Test func anExplanationHasItsSentencesAndThenEachPart() throws {
        let request = try RecordExplain.parse(["--type", "T", "n > 5", "--sort", "n", "--page-size", "7"])
            .request(now: 0)
        #expect(request.operation == .recordsExplain)
        #expect(
            String(decoding: request.body, as: UTF8.self)
                == #"{"query":{"recordType":"T","filterBy":[{"comparator":"GREATER_THAN","fieldName":"n","fieldValue":{"value":5,"type":"INT64"}}],"sortBy":[{"fieldName":"n"}]},"resultsLimit":7}"#
        )
        let answer: JSONValue = [
            "plan": "It was read.", "indexes": [["name": "record_1_index_2", "field": "n", "kind": "ordered"]],
            "rowsRead": 1200, "rowsReturned": 7, "milliseconds": 0.12345, "decidedInMemory": false,
            "statement": "select", "warnings": ["No index"],
        ]
        #expect(
            RecordExplain.lines(answer) == [
                "It was read.", "index          record_1_index_2  n  ordered", "rows read      1,200",
                "rows returned  7", "milliseconds   0.123", "warning        No index",
            ])
        #expect(RecordExplain.lines(["records": []]) == ["The database is empty."])
    }
}

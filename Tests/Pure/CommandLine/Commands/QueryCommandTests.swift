import ArgumentParser
import CloudKitQuery
import CloudKitWire
import Testing

@testable import CommandLine
@testable import CommandLineSession
@testable import FakeServices

@Suite struct QueryCommandTests {
    /// Parses a command line, whose arguments are separated by `|`.
    private func command<Command: ParsableCommand>(_ type: Command.Type, _ line: String) throws -> Command {
        try #require(try ZondaCommand.parseAsRoot(line.split(separator: "|").map(String.init)) as? Command)
    }

    @Test func aCheckedPredicateIsPrintedAsInRequestsAndInLinesForPeople() throws {
        let predicate = try PredicateSpelling("a == 1 OR NOT b IN %@", ["strings:x"]).predicate(now: 0)
        let (one, other) = (
            #"{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":1,"type":"INT64"}}"#,
            #"{"comparator":"NOT_IN","fieldName":"b","fieldValue":{"value":["x"],"type":"STRING_LIST"}}"#
        )
        #expect(QueryCheck.text(predicate, isForPeople: false) == "{\"or\":[\(one),\(other)]}")
        #expect(
            QueryCheck.text(predicate, isForPeople: true)
                == "{\n  \"or\": [\n    \(one),\n    \(other)\n  ]\n}")
        #expect(QueryCheck.text(.all, isForPeople: true) == #"{"and":[]}"#)
    }

    @Test func aCheckExitsWith0OrWith1ForAnInvalidPredicate() async throws {
        try await command(QueryCheck.self, "query|check|--json|TRUEPREDICATE").run()
        for line in ["query|check|f ==", "query|check|f ==|--json"] {
            let command = try command(QueryCheck.self, line)
            await #expect(throws: ExitCode.failure) { try await command.run() }
        }
    }

    @Test func anInvalidPredicateIsReportedBeforeARequestIsSent() async throws {
        // The broker's URL is missing, which would be a usage error.
        for verb in ["query", "count", "explain"] {
            var command = try #require(
                try ZondaCommand.parseAsRoot(["record", verb, "--type", "T", "f =="]) as? any AsyncParsableCommand)
            await #expect(throws: ExitCode.failure) { try await command.run() }
        }
    }

    @Test(
        arguments: [
            ("--type|T", #""recordType":"T"}"#),
            (
                "--type|T|--zone|Z|n > %d|5",
                #""recordType":"T","filterBy":[{"comparator":"GREATER_THAN","fieldName":"n","fieldValue":{"value":5,"type":"INT64"}}]},"zoneID":{"zoneName":"Z"}"#
            ),
            (
                "--type|T|--all-zones|a ==[cd] 'x' AND recordID == %@|reference:r",
                #""recordType":"T","filterBy":[{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":"x","type":"STRING"},"options":"cd"},{"comparator":"EQUALS","systemFieldName":"recordName","fieldValue":{"value":{"recordName":"r","action":"NONE"},"type":"REFERENCE"}}]},"zoneWide":true"#
            ),
            (
                "--type|T|a == 1 OR b != nil",
                #""recordType":"T","filterBy":[{"or":[{"comparator":"EQUALS","fieldName":"a","fieldValue":{"value":1,"type":"INT64"}},{"comparator":"EXISTS","fieldName":"b"}]}]}"#
            ),
            (
                "--type|T|NOT (a IN {'x', 'y'})",
                #""recordType":"T","filterBy":[{"comparator":"NOT_IN","fieldName":"a","fieldValue":{"value":["x","y"],"type":"STRING_LIST"}}]}"#
            ),
            (
                "--type|T|self CONTAINS 'milk'",
                #""recordType":"T","filterBy":[{"comparator":"CONTAINS_ALL_TOKENS","fieldValue":{"value":"milk","type":"STRING"}}]}"#
            ),
            (
                "--type|T|creationDate < now() - 60",
                #""recordType":"T","filterBy":[{"comparator":"LESS_THAN","systemFieldName":"createdTimestamp","fieldValue":{"value":40000,"type":"TIMESTAMP"}}]}"#
            ),
            (
                "--type|T|distanceToLocation:fromLocation:(p, %@) < 500|location:48.5,2.25",
                #""recordType":"T","filterBy":[{"comparator":"NEARER_THAN","fieldName":"p","fieldValue":{"value":{"latitude":48.5,"longitude":2.25},"type":"LOCATION"},"distance":500.0}]}"#
            ),
            (
                "--type|T|--sort|n:desc|--sort|creationDate|--sort|p:near=48.5,-2.25|--sort|#share:asc",
                #""recordType":"T","sortBy":[{"fieldName":"n","ascending":false},{"systemFieldName":"createdTimestamp"},{"fieldName":"p","relativeLocation":{"value":{"latitude":48.5,"longitude":-2.25},"type":"LOCATION"}},{"fieldName":"share"}]}"#
            ),
            ("--type|T|--keys|a,b", #""recordType":"T"},"desiredKeys":["a","b"]"#),
            ("--type|T|--keys|", #""recordType":"T"},"desiredKeys":[]"#),
        ])
    func aCommandLineBecomesARequest(line: String, body: String) throws {
        let arguments = line.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
        let command = try RecordQuery.parse(arguments)
        var writer = WireWriter()
        writer.queryRecords(try command.request(now: 100_000))
        let text = String(decoding: writer.bytes, as: UTF8.self)
        #expect(text == #"{"query":{\#(body)}"#)
        // The sent request is the intended one.
        #expect(try QueryRecordsRequest(decoding: writer.bytes) == command.request(now: 100_000))
    }

    /// Returns the records that a command shows, its messages, and its requests.
    private func find(_ line: String, _ service: FakeAnswers) async throws -> (shown: [String], reported: [String]) {
        let command = try command(RecordQuery.self, "record|query|--type|T|" + line)
        var (shown, reported): ([String], [String]) = ([], [])
        let isGood = try await command.find(
            command.request(now: 0), service,
            show: { record in
                shown.append(record["recordName"]?.string ?? "")
                return record["serverErrorCode"] == nil
            }, report: { reported.append($0) })
        #expect(isGood == !shown.contains("bad"))
        return (shown, reported)
    }

    private static func page(_ names: [String], _ marker: String? = nil, _ warnings: [String] = []) -> JSONValue {
        .object(having: [
            ("records", .array(names.map { ["recordName": .string($0)] })),
            ("continuationMarker", marker.map { .string($0) }),
            ("warnings", warnings.isEmpty ? nil : .array(warnings.map { .string($0) })),
        ])
    }

    @Test func pagesAlsoEmptyOnesAreWalkedByTheirMarkersAndAWarningIsPrintedOnce() async throws {
        let service = FakeAnswers(
            Self.page(["a", "b"], "m1", ["slow"]), Self.page([], "m2", ["slow", "old"]), Self.page(["c"]))
        let found = try await find("--limit|0|--page-size|2", service)
        #expect(found.shown == ["a", "b", "c"])
        #expect(found.reported == ["warning: slow", "warning: old"])
        #expect(
            await service.requests == [
                #"records.query {"query":{"recordType":"T"},"resultsLimit":2}"#,
                #"records.query {"query":{"recordType":"T"},"resultsLimit":2,"continuationMarker":"m1"}"#,
                #"records.query {"query":{"recordType":"T"},"resultsLimit":2,"continuationMarker":"m2"}"#,
            ])
    }

    @Test func noMoreRecordsThanWantedAreRequestedAndShown() async throws {
        let service = FakeAnswers(Self.page(["a", "b"], "m1"), Self.page(["c", "d"], "m2"))
        let found = try await find("--limit|3|--page-size|2", service)
        #expect(found.shown == ["a", "b", "c"])
        #expect(found.reported == ["more records match: increase --limit above 3, or set it to 0 for all"])
        #expect(
            await service.requests == [
                #"records.query {"query":{"recordType":"T"},"resultsLimit":2}"#,
                #"records.query {"query":{"recordType":"T"},"resultsLimit":1,"continuationMarker":"m1"}"#,
            ])
        let whole = try await find("--limit|1", FakeAnswers(Self.page(["a"])))
        #expect(whole.shown == ["a"] && whole.reported.isEmpty)
    }

    @Test func withoutLimitAndPageSizeTwoHundredRecordsComeInPagesOfTheServicesSize() async throws {
        let service = FakeAnswers(Self.page([]))
        _ = try await find("", service)
        #expect(await service.requests == [#"records.query {"query":{"recordType":"T"},"resultsLimit":200}"#])
        let all = FakeAnswers(Self.page([]))
        _ = try await find("--limit|0", all)
        #expect(await all.requests == [#"records.query {"query":{"recordType":"T"}}"#])
    }

    @Test func anErrorInPlaceOfARecordARefusalAndARepeatedMarkerAreFailures() async throws {
        let item: JSONValue = ["recordName": "bad", "serverErrorCode": "NOT_FOUND", "reason": "gone"]
        #expect(try await find("", FakeAnswers(["records": [item]])).shown == ["bad"])
        let refusal: JSONValue = ["serverErrorCode": "BAD_REQUEST", "reason": "no such field", "field": "n"]
        await #expect(throws: RequestFailure.self) { try await find("n > 5", FakeAnswers(refusal)) }
        let still = FakeAnswers(Self.page(["a"], "m"), Self.page(["b"], "m"))
        await #expect(throws: RequestFailure.unanswered(reason: "the query repeats its continuation marker")) {
            try await find("", still)
        }
    }
}

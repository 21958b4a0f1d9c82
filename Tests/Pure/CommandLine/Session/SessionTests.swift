import CloudKitWire
import TestGenerators
import Testing

@testable import CommandLine
@testable import CommandLineSession

@Suite struct SessionTests {
    @Test func pausesDoubleUpToTheLongestAndJitterTakesAtMostHalf() {
        let policy = RetryPolicy()
        var random = SeededGenerator(seed: 3)
        for (attempts, longest) in [(1, 50), (2, 100), (3, 200), (6, 1600), (7, 2000), (500, 2000)] {
            let pause = policy.pause(afterAttempts: attempts, using: &random)
            #expect(pause <= .milliseconds(longest))
            #expect(pause >= .milliseconds(longest / 2))
        }
    }

    @Test func aRetryableAnswerIsRequestedAgainUntilItChangesOrTheAttemptsAreUsedUp() async throws {
        let policy = RetryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(1), maxAttempts: 4)
        let answer = try await policy.answer(within: .seconds(60)) { number, _ throws(RequestFailure) in
            switch number {
            case 1: .silence(reason: "away")
            case 2: .answered(Answer(status: 503, body: [], attempts: number))
            default: .answered(Answer(status: 200, body: [], attempts: number))
            }
        }
        #expect(answer.attempts == 3)
        let late = try await policy.answer(within: .seconds(60)) { number, _ throws(RequestFailure) in
            .answered(Answer(status: 503, body: [], attempts: number))
        }
        #expect(late.status == 503)
        #expect(late.attempts == 4)
        let failure = await #expect(throws: RequestFailure.self) {
            try await policy.answer(within: .seconds(60)) { _, _ throws(RequestFailure) in .silence(reason: "away") }
        }
        #expect(failure?.description == "NO_ANSWER: away (4 attempts in 0 s)")
    }

    @Test func aRequestIsNotRepeatedBeforeTheTimeThatItsAnswerNamesNorPastTheDeadline() async throws {
        let policy = RetryPolicy(firstPause: .milliseconds(1), longestPause: .milliseconds(1))
        let throttled = Array(#"{"serverErrorCode":"THROTTLED","reason":"x","retryAfter":1}"#.utf8)
        let began = ContinuousClock.now
        let answer = try await policy.answer(within: .seconds(60)) { number, _ throws(RequestFailure) in
            .answered(Answer(status: number == 1 ? 429 : 200, body: throttled, attempts: number))
        }
        #expect(answer.attempts == 2)
        #expect(ContinuousClock.now - began >= .seconds(1))
        let refused = try await policy.answer(within: .milliseconds(900)) { number, _ throws(RequestFailure) in
            .answered(Answer(status: 429, body: throttled, attempts: number))
        }
        #expect(refused.status == 429 && refused.attempts == 1)
    }

    @Test func anErrorIsPrintedWithCodeReasonFieldAndRequestID() throws {
        let json = try JSONValue(
            parsing: """
                {"uuid":"u-1","serverErrorCode":"BAD_REQUEST","reason":"too long","reasonCode":"value_too_long",\
                "field":"title","limit":10,"actual":12,"recordName":"note"}
                """)
        let failure = RequestFailure.refused(try #require(RequestFailure.Refusal(json)))
        #expect(
            failure.description
                == "note: BAD_REQUEST: too long (value_too_long, field title, limit 10, actual 12, request u-1)")
        #expect(failure.json["field"]?.string == "title")
        #expect(failure.json["uuid"]?.string == "u-1")
    }

    @Test func aFailedAtomicRequestReportsTheItemsAtFaultAndNotThoseThatFailedWithThem() throws {
        let json = try JSONValue(
            parsing: """
                {"serverErrorCode":"ATOMIC_ERROR","reason":"1 of 2","records":[\
                {"recordName":"a","serverErrorCode":"CONFLICT","reason":"tag"},\
                {"recordName":"b","serverErrorCode":"ATOMIC_ERROR","reason":"not saved"}]}
                """)
        let refusal = try #require(RequestFailure.Refusal(json))
        #expect(RequestFailure.refused(refusal).description == "ATOMIC_ERROR: 1 of 2\n  a: CONFLICT: tag")
    }

    @Test func aFailedItemIsReportedWithTheRequestsIDAndAHint() throws {
        let refusal = try #require(
            RequestFailure.Refusal([
                "recordName": "a", "serverErrorCode": "CONFLICT", "reason": "tag", "requestID": "r-1",
                "hint": "Merge.",
            ]))
        #expect(RequestFailure.refused(refusal).description == "a: CONFLICT: tag (request r-1). Merge.")
    }

    @Test func anItemWithoutACodeIsNotAnError() {
        #expect(RequestFailure.Refusal(["recordName": "a", "deleted": true]) == nil)
    }

    @Test func aBadStatusWithoutAReadableErrorStillIsAFailure() {
        let failure = #expect(throws: RequestFailure.self) {
            try Answer(status: 500, body: Array("{}".utf8), attempts: 1).json()
        }
        #expect(failure?.code == "STATUS_500")
    }

    @Test func aFeedThatDoesNotAdvanceEndsWithAnErrorInsteadOfLooping() async {
        struct Stuck: Requester {
            func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
                Answer(
                    status: 200, body: Array(#"{"zones":[{"syncToken":"x","moreComing":true,"records":[]}]}"#.utf8),
                    attempts: 1)
            }
        }
        await #expect(throws: RequestFailure.self) {
            var feed = ZoneFeed(requester: Stuck(), zone: "Z", limit: .seconds(1))
            while try await feed.nextPage() != nil {}
        }
    }
}

@Suite struct TerminalTests {
    @Test func aBarShowsItsShareAndWithoutAnEndOnlyItsText() {
        #expect(ProgressBar.line(fraction: 0.5, "x") == "[############............]  50%  x")
        #expect(ProgressBar.line(fraction: 2, "x").contains("100%"))
        #expect(ProgressBar.line(fraction: nil, "x") == "x")
    }

    @Test func columnsOfATableAreAligned() {
        var table = TextTable()
        table.add("a", "1")
        table.add("long", "2")
        #expect(table.lines == ["a     1", "long  2"])
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (-1_234_567, "-1,234,567")])
    func thousandsAreSeparated(number: Int, text: String) {
        #expect(number.grouped == text)
    }
}

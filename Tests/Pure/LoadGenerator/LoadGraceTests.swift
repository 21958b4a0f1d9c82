import CloudKitWire
import Testing

@testable import CommandLineSession
@testable import FakeServices
@testable import LoadGenerator

/// A load whose requests are no longer answered.
@Suite(.timeLimit(.minutes(1))) struct LoadGraceTests {
    /// Answers a number of requests. Later requests wait until the task is cancelled.
    private actor FallingSilent: Requester {
        private var answers: Int
        private let service = FakeService()

        init(after answers: Int) { self.answers = answers }

        func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
            answers -= 1
            if answers >= 0 { return try await service.ask(request, limit: limit) }
            try? await ContinuousClock().sleep(for: .seconds(3600))
            throw .unanswered(reason: "cancelled")
        }
    }

    private func plan() -> LoadPlan {
        var plan = LoadPlan()
        plan.producers = 2
        plan.inFlight = 4
        plan.zones = 3
        plan.duration = .milliseconds(200)
        plan.rate = 1000
        plan.verifies = true
        plan.seed = 42
        return plan
    }

    /// Much longer than an answer takes on a busy machine.
    private static let grace = Duration.seconds(3)

    private func run(silentAfter answers: Int) async throws -> LoadReport {
        let plan = plan()
        let service = FallingSilent(after: answers)
        let watch = LoadGrace(Self.grace, after: plan.duration)
        var report = try await watch.run {
            let producers = (0..<plan.producers).map { _ in
                LoadUsers(owner: WatchedRequester(base: service, grace: watch))
            }
            return try await LoadRun(plan: plan, producers: producers).run()
        }
        report.outstanding = watch.outstanding ?? 0
        return report
    }

    @Test func unansweredRequestsAreGivenUpCountedAndReported() async throws {
        let report = try await run(silentAfter: 20)
        #expect(report.outstanding == 8)
        #expect(report.counts.failed >= 8)
        #expect(report.counts.acknowledged > 0)
        #expect(report.json["outstanding"] == 8)
        #expect(report.unverified > 0)
        #expect(!report.isGood)
    }

    @Test func silenceEndsTheVerificationToo() async throws {
        // One request creates the zones, and each slot sends about 25 requests during the load.
        let report = try await run(silentAfter: 202)
        #expect(report.outstanding > 0)
        #expect(!report.isGood)
    }

    @Test func aLoadThatIsAnsweredHasNothingOutstanding() async throws {
        let report = try await run(silentAfter: .max)
        #expect(report.outstanding == 0)
        #expect(report.isGood, "\(report.json.text)")
    }
}

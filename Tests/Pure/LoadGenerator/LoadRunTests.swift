import CloudKitWire
import Testing

@testable import CommandLineSession
@testable import FakeServices
@testable import LoadGenerator

@Suite(.timeLimit(.minutes(1))) struct LoadRunTests {
    private func run(
        _ faults: FakeService.Faults = FakeService.Faults(), change: (inout LoadPlan) -> Void = { _ in }
    ) async throws -> (report: LoadReport, service: FakeService) {
        var plan = LoadPlan()
        plan.producers = 2
        plan.inFlight = 4
        plan.zones = 3
        plan.duration = .seconds(60)
        plan.requestsPerSlot = 60
        plan.verifies = true
        plan.seed = 42
        change(&plan)
        let service = FakeService(faults: faults)
        let producers = Array(repeating: LoadUsers(owner: service), count: plan.producers)
        return (try await LoadRun(plan: plan, producers: producers).run(), service)
    }

    @Test func aServiceThatKeepsItsPromisesPassesAndNoRecordIsEverWrittenTwiceAtOnce() async throws {
        let (report, service) = try await run()
        #expect(report.isGood)
        #expect(report.counts.acknowledged > 0)
        #expect(report.counts.reads > 0)
        #expect(report.findings?.checked ?? 0 > 0)
        #expect(report.findings == ZoneAudit.Findings(checked: report.findings?.checked ?? 0))
        #expect(await service.overlaps == 0)
    }

    @Test func severalOperationsInARequestPassToo() async throws {
        let (report, service) = try await run { $0.operations = 20 }
        #expect(report.isGood)
        #expect(report.counts.acknowledged % 20 == 0)
        #expect(await service.overlaps == 0)
    }

    @Test func aDroppedWriteIsFoundAsMissingOrStale() async throws {
        let (report, _) = try await run(FakeService.Faults(dropsEvery: 5))
        #expect(!report.isGood)
        #expect((report.findings?.missing ?? 0) + (report.findings?.stale ?? 0) > 0)
    }

    @Test func anOldWriteThatIsAppliedAgainIsFoundAsStale() async throws {
        let (report, _) = try await run(FakeService.Faults(repeatsEvery: 3)) {
            $0.zones = 1
            $0.reads = 0
        }
        #expect(!report.isGood)
        #expect(report.findings?.stale ?? 0 > 0)
    }

    @Test func aFeedThatRepeatsRecordsIsFound() async throws {
        let (report, _) = try await run(FakeService.Faults(doublesFeed: true))
        #expect(report.findings?.repeated ?? 0 > 0)
        #expect(report.findings?.missing == 0)
    }

    @Test func aWriteWithoutAnAnswerCountsAsFailedAndEitherOutcomeIsAccepted() async throws {
        let (report, _) = try await run(FakeService.Faults(losesAnswerEvery: 9)) { $0.reads = 0 }
        #expect(report.counts.failed > 0)
        #expect(report.counts.errors["NO_ANSWER"] == report.counts.failed)
        #expect(report.findings?.missing == 0)
        #expect(report.findings?.stale == 0)
        #expect(!report.isGood)
    }

    @Test func aRateIsKept() async throws {
        let (report, _) = try await run {
            $0.rate = 200
            $0.duration = .milliseconds(300)
            $0.requestsPerSlot = nil
        }
        #expect((40...60).contains(report.operations))
    }
}

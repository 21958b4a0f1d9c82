import CloudKitWire
import ServiceMessages
import TestGenerators
import Testing

@testable import CommandLineSession
@testable import FakeServices
@testable import LoadGenerator

@Suite struct AssetLedgerTests {
    private static let a = AssetBytes([1]).checksum
    private static let b = AssetBytes([2]).checksum

    @Test(
        arguments: [
            (a, nil, a, .good), (a, nil, b, .wrong), (a, nil, nil, .missing), (nil, nil, nil, .good),
            (nil, nil, a, .wrong), (a, .some(b), b, .good), (a, .some(b), a, .good), (a, .some(b), nil, .missing),
            (a, .some(nil), nil, .good), (a, .some(nil), a, .good), (nil, .some(b), nil, .good),
        ] as [(AssetChecksum?, AssetChecksum??, AssetChecksum?, AssetLedger.Verdict)])
    func aRecordIsJudgedByWhatWasAcknowledgedAndByWhatMayHaveHappened(
        acknowledged: AssetChecksum?, uncertain: AssetChecksum??, found: AssetChecksum?, verdict: AssetLedger.Verdict
    ) {
        let expectation = AssetLedger.Expectation(acknowledged: acknowledged, uncertain: uncertain)
        #expect(expectation.verdict(found: found) == verdict)
    }

    @Test func onlyExistingRecordsWhoseContentIsKnownArePicked() {
        var ledger = AssetLedger()
        #expect(ledger.pick(3) == nil)
        let records = (0..<3).map { _ in ledger.beginNew() }
        for record in records { ledger.acknowledge(record, Self.a) }
        ledger.acknowledge(records[0], nil)
        ledger.lose(records[1], Self.b)
        #expect((0..<4).allSatisfy { ledger.pick($0) == records[2] })
        ledger.acknowledge(records[2], Self.b)
        #expect(ledger.pick(0) == records[2])
        #expect(ledger.expectation(of: records[2]).acknowledged == Self.b)
    }

    @Test func aContentsNumberDecidesItsBytesAndTheirCountVariesAroundTheAverage() {
        let contents = AssetContents(seed: 7, sizeBytes: 1000)
        var random = SeededGenerator(seed: 1)
        #expect(contents.used(&random) == nil)
        #expect(contents.new() == 0)
        #expect(contents.new() == 1)
        #expect((0...1).contains(contents.used(&random) ?? -1))
        #expect(contents.bytes(of: 0).bytes == AssetContents(seed: 7, sizeBytes: 1000).bytes(of: 0).bytes)
        #expect(contents.bytes(of: 0).checksum != contents.bytes(of: 1).checksum)
        #expect(contents.bytes(of: 0).checksum != AssetContents(seed: 8, sizeBytes: 1000).bytes(of: 0).checksum)
        #expect((0..<50).allSatisfy { (500...1500).contains(contents.bytes(of: $0).size) })
        #expect(Set((0..<50).map { contents.bytes(of: $0).size }).count > 10)
    }
}

@Suite(.timeLimit(.minutes(1))) struct AssetLoadTests {
    private func run(
        _ faults: FakeAssetStore.Faults = FakeAssetStore.Faults(), steps: Int = 60
    ) async throws -> AssetLoadReport {
        var plan = AssetLoadPlan()
        plan.producers = 2
        plan.duration = .seconds(60)
        plan.stepsPerSlot = steps
        plan.sizeBytes = 2000
        plan.verifies = true
        plan.drain = .milliseconds(300)
        plan.seed = 42
        let service = FakeAssetService(faults)
        return try await AssetTransfer.with(connections: plan.slots) { transfer in
            try await AssetLoad(plan: plan, producers: [service, service], transfer: transfer).run()
        }
    }

    @Test func aServiceThatKeepsItsPromisesPassesAndEverythingIsDoneAndCompared() async throws {
        let report = try await run()
        #expect(report.isGood, "\(report.json.text)")
        #expect(report.counts.failed == 0)
        for count in [
            report.counts.uploads, report.counts.duplicates, report.counts.saves, report.counts.replacements,
            report.counts.rereferences, report.counts.deletions, report.counts.downloads, report.verified ?? 0,
        ] { #expect(count > 0, "\(report.json.text)") }
    }

    @Test func contentsThatAreNeverDeletedAreReported() async throws {
        let report = try await run(FakeAssetStore.Faults(keepsEverything: true), steps: 4)
        #expect(!report.isGood)
        #expect(report.left ?? 0 > 0)
        #expect(report.counts.missing == 0 && report.counts.wrongBytes == 0)
    }

    @Test func interruptedUploadsAndDownloadsAreRepeated() async throws {
        let report = try await run(FakeAssetStore.Faults(cutsUploads: 3, cutsDownloads: 3))
        #expect(report.isGood, "\(report.json.text)")
        #expect(report.counts.failed == 0)
    }

    @Test func otherBytesAreFoundAsWrong() async throws {
        let report = try await run(FakeAssetStore.Faults(spoilsBytes: true))
        #expect(report.counts.wrongBytes > 0)
        #expect(!report.isGood)
    }

    @Test func acknowledgedSavesThatWereNotDoneAreFoundAsMissingOrWrong() async throws {
        let report = try await run(FakeAssetStore.Faults(dropsEvery: 5))
        #expect(report.counts.missing + report.counts.wrongBytes > 0)
        #expect(!report.isGood)
    }

    @Test(arguments: [false, true])
    func deletedContentsAreFoundAsMissingAlsoWhenOnlyTheirFilesAreGone(losesFilesOnly: Bool) async throws {
        let report = try await run(FakeAssetStore.Faults(losesEvery: 5, losesFilesOnly: losesFilesOnly))
        #expect(report.counts.missing > 0)
        #expect(report.counts.failed == 0)
        #expect(report.unverified == 0)
        #expect(!report.isGood)
    }

    @Test func aRunInWhichNothingCouldBeUploadedFails() async throws {
        let report = try await run(FakeAssetStore.Faults(spoilsReceipts: true), steps: 3)
        #expect(report.counts.uploads == 0)
        #expect(report.counts.errors["CHECKSUM_MISMATCH"] == report.counts.failed)
        #expect(!report.isGood)
    }

    @Test func theObjectHasEveryPromisedKey() async throws {
        let json = try await run().json
        for key in [
            "uploads", "duplicates", "saves", "replacements", "deletions", "downloads", "uploadedBytes",
            "downloadedBytes", "wrongBytes", "missing", "failed", "perSecond", "uploadMBPerSecond",
            "downloadMBPerSecond", "p50", "p90", "p99", "p999", "errors",
        ] { #expect(json[key] != nil, "\(key)") }
    }
}

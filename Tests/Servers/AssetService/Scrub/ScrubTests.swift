import CloudKitModel
import CloudKitWire
import Foundation
import NIOCore
import PostgresClient
import RequestServing
import ServiceMessages
import ServiceRuntime
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage

@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct ScrubTests {
    /// Makes the next verification of all blobs due.
    static func age(_ stack: AssetStack) async throws {
        _ = try await stack.database.query(
            "update asset.blob set looked_at = now() - interval '1 year', verified_at = now() - interval '1 year'")
    }

    static func upload(_ text: String, _ stack: AssetStack) async throws -> StoredBlob {
        try #require(try await stack.row(try await stack.upload(text)))
    }

    static func find(_ blob: StoredBlob, _ stack: AssetStack) async throws -> StoredBlob {
        try #require(try await stack.table.find(blob.checksum, in: blob.container))
    }

    static func corrupt(_ blob: StoredBlob, _ stack: AssetStack) throws {
        let file = try FileHandle(forWritingTo: stack.path(blob))
        try file.write(contentsOf: Data("X".utf8))
        try file.close()
    }

    @Test func whatIsRightIsNotedAndNotLookedAtAgain() async throws {
        try await AssetStack.with { stack in
            let blobs = [try await Self.upload("one", stack), try await Self.upload("", stack)]
            try await stack.parts.scrubber.runOnce()
            #expect(stack.host.metrics.value(of: AssetMetrics.scrubbed) == 0)
            try await Self.age(stack)
            try await stack.parts.scrubber.runOnce()
            try await stack.parts.scrubber.runOnce()
            #expect(stack.host.metrics.value(of: AssetMetrics.scrubbed) == 2)
            #expect(stack.host.metrics.value(of: AssetMetrics.scrubbedBytes) == 3)
            let found = try await Self.find(blobs[0], stack)
            #expect(found.verifiedAt >= blobs[0].createdAt && found.damage == nil)
        }
    }

    @Test(arguments: [StoredBlob.Damage.Kind.corrupt, .missing])
    func whatIsDamagedIsFoundRefusedAndHealed(damage: StoredBlob.Damage.Kind) async throws {
        try await HTTPStack.with { http in
            let stack = http.stack
            let blob = try await Self.upload("precious", stack)
            let kept = try await Self.upload("untouched", stack)
            if damage == .missing {
                try FileManager.default.removeItem(at: stack.path(blob))
            } else {
                try Self.corrupt(blob, stack)
            }
            try await Self.age(stack)
            try await stack.parts.scrubber.runOnce()
            let found = try await Self.find(blob, stack)
            #expect(found.damage?.kind == damage)
            #expect(try await Self.find(kept, stack).damage == nil)
            // The damaged file is kept for inspection.
            #expect(FileManager.default.fileExists(atPath: stack.path(blob).path) == (damage != .missing))

            let refused = try await http.ask("GET", http.downloadPath(blob.checksum))
            #expect(refused.status == 404 && refused.json["reasonCode"] == "asset_damaged")
            #expect(refused.json["ckErrorCode"] == 35)
            let list = try await AssetOperationTests.ask(stack, .assetsQuarantine, [:]).json
            #expect(list["total"] == 1 && list["blobs"]?[0]?["checksum"] == .string(blob.checksum.hex))
            #expect(list["blobs"]?[0]?["damage"] == .string(damage.rawValue))
            let stat = try await AssetOperationTests.stat(stack, blob.checksum.hex).json
            #expect(stat["state"] == "quarantined" && stat["damagedAt"] == .int(found.damage?.at ?? 0))
            // A damaged file does not entitle to a receipt.
            let receipts = try await stack.parts.receipts.receipts(
                for: [blob.checksum], in: AssetStack.scope)
            #expect(receipts.isEmpty)

            let healed = try await Self.upload("precious", stack)
            #expect(healed.id == blob.id && healed.generation != blob.generation && healed.damage == nil)
            let served = try await http.ask("GET", http.downloadPath(blob.checksum))
            #expect(served.status == 200 && served.body == Array("precious".utf8))
            let none = try await AssetOperationTests.ask(stack, .assetsQuarantine, [:]).json
            #expect(none["total"] == 0)
        }
    }

    @Test func aFileThatIsPutBackIsServedAgain() async throws {
        try await AssetStack.with { stack in
            let blob = try await Self.upload("precious", stack)
            let away = stack.directory.appending(path: "away")
            try FileManager.default.moveItem(at: stack.path(blob), to: away)
            try await Self.age(stack)
            try await stack.parts.scrubber.runOnce()
            #expect(try await Self.find(blob, stack).damage?.kind == .missing)
            try FileManager.default.moveItem(at: away, to: stack.path(blob))
            try await Self.age(stack)
            try await stack.parts.scrubber.runOnce()
            #expect(try await Self.find(blob, stack).damage == nil)
        }
    }

    /// An unmounted volume must not be mistaken for the loss of all its files.
    @Test func nothingIsQuarantinedInAnotherStore() async throws {
        try await AssetStack.with { stack in
            let blob = try await Self.upload("precious", stack)
            try FileManager.default.removeItem(at: stack.path(blob))
            try FileManager.default.removeItem(at: stack.directory.appending(path: "store-id"))
            try await Self.age(stack)
            await #expect(throws: SettingError.self) { try await stack.parts.scrubber.runOnce() }
            #expect(try await Self.find(blob, stack).damage == nil)
        }
    }

    @Test func aDownloadThatFindsNoFileHasItLookedAt() async throws {
        try await HTTPStack.with { http in
            let blob = try await Self.upload("precious", http.stack)
            try FileManager.default.removeItem(at: http.stack.path(blob))
            let first = try await http.ask("GET", http.downloadPath(blob.checksum))
            #expect(first.status == 503 && first.json["reasonCode"] == "asset_not_available")
            try await http.stack.parts.scrubber.runOnce()
            let second = try await http.ask("GET", http.downloadPath(blob.checksum))
            #expect(second.status == 404 && second.json["reasonCode"] == "asset_damaged")
        }
    }

    /// Each blob is verified once, by either instance.
    @Test func twoScrubsTakeDifferentBlobs() async throws {
        try await AssetStack.with { stack in
            for number in 0..<20 { _ = try await Self.upload("content \(number)", stack) }
            try await Self.age(stack)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 { group.addTask { try await stack.parts.scrubber.runOnce() } }
                try await group.waitForAll()
            }
            #expect(stack.host.metrics.value(of: AssetMetrics.scrubbed) == 20)
        }
    }

    /// A blob that a killed instance had claimed is claimed again when its lease ends, not in the next interval.
    @Test func whatAKilledInstanceTookIsTakenAgain() async throws {
        try await AssetStack.with { stack in
            let blob = try await Self.upload("precious", stack)
            try await Self.age(stack)
            func take(lease: Duration) async throws -> StoredBlob? {
                try await stack.table.takeForScrub(
                    interval: .seconds(86_400), damagedInterval: .seconds(60), lease: lease)
            }
            #expect(try await take(lease: .seconds(-1))?.id == blob.id)
            #expect(try await take(lease: .seconds(60))?.id == blob.id)
            #expect(try await take(lease: .seconds(60)) == nil)
        }
    }

    @Test func whatIsDeletedOrReplacedUnderTheScrubIsNotQuarantined() async throws {
        try await AssetStack.with { stack in
            let examiner = stack.parts.scrubber.verifier
            // This blob is deleted: first its row, then its file.
            let deleted = try await Self.upload("deleted", stack)
            try await stack.expireReceipts()
            _ = try await stack.table.condemn([deleted.id], grace: .zero)
            try await stack.parts.sweeper.deleter.delete(deleted.id)
            try await examiner.verify(deleted) { _ in }
            // This blob is replaced by an upload while the old file is being read.
            let lost = try await Self.upload("lost", stack)
            try Self.corrupt(lost, stack)
            try await stack.parts.scrubber.verifier.quarantine(lost, .corrupt)
            let healed = try await Self.upload("lost", stack)
            try await examiner.verify(lost) { _ in }
            #expect(try await Self.find(healed, stack).damage == nil)
            let total = try await stack.table.quarantined(in: nil, limit: 1).total
            #expect(total == 0)
        }
    }

    @Test func uploadsAndScrubsAtOnceEndWithRightBytes() async throws {
        try await AssetStack.with { stack in
            let blob = try await Self.upload("precious", stack)
            try Self.corrupt(blob, stack)
            try await Self.age(stack)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await stack.parts.scrubber.runOnce() }
                for _ in 0..<6 { group.addTask { _ = try await stack.upload("precious") } }
                try await group.waitForAll()
            }
            // A row that an upload held locked at that moment was left to the next round.
            try await stack.parts.scrubber.runOnce()
            let healed = try await Self.upload("precious", stack)
            #expect(healed.damage == nil)
            let text = try await stack.text(healed.key)
            #expect(text == "precious")
        }
    }

    @Test func theRateIsKept() async throws {
        try await AssetStack.with(["ZONDA_ASSET_SCRUB_RATE": "1000000"]) { stack in
            _ = try await Self.upload(String(repeating: "x", count: 400_000), stack)
            try await Self.age(stack)
            let began = ContinuousClock.now
            try await stack.parts.scrubber.runOnce()
            let time = ContinuousClock.now - began
            #expect(time > .milliseconds(450))
            #expect(stack.host.metrics.value(of: AssetMetrics.scrubbed) == 1)
        }
    }
}

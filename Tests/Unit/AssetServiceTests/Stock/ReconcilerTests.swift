import CloudKitWire
import Foundation
import NIOCore
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

@testable import AssetService

@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct ReconcilerTests {
    private static let now = Duration.seconds(-1)

    private static func report(_ stack: AssetStack) async throws -> JSONValue {
        try await AssetOperationTests.ask(stack, .assetsReconcile, [:]).json
    }

    @Test func aFileWithoutARowGoesWhenItIsSeenTwice() async throws {
        try await DeletionTests.with(.says(used: [])) { parts in
            let (stack, reconciler) = (parts.stack, parts.sweeper.reconciler)
            let kept = try await ScrubTests.upload("kept", stack)
            // As a crash between the file and its row leaves it: the row comes late, or never.
            let generation = UUID()
            let key = BlobKey(container: kept.container, checksum: BlobTableTests.checksum, generation: generation)
            let file = try await stack.store.makeUpload()
            try await file.append(ByteBuffer(string: "abc"))
            try await file.commit(as: key)
            // Young files may be on their way to a row.
            try await reconciler.runOnce(orphanAge: .seconds(3600))
            #expect(try await Self.report(stack)["filesWithoutRow"] == 0)
            for _ in 0..<2 { try await reconciler.runOnce(orphanAge: Self.now) }
            let seen = try await Self.report(stack)
            #expect(seen["filesWithoutRow"] == 1 && seen["strays"]?[0]?["key"] == .string(key.rawValue))
            #expect(seen["files"] == 2 && seen["filesRemoved"] == 0)
            #expect(stack.files("blobs").count == 2)
            _ = try await stack.database.query("update asset.stray set first_seen = now() - interval '2 minutes'")
            try await reconciler.runOnce(orphanAge: Self.now)
            #expect(stack.files("blobs") == [kept.key.rawValue])
            try await reconciler.runOnce(orphanAge: Self.now)
            #expect(try await Self.report(stack)["filesWithoutRow"] == 0)
        }
    }

    @Test func anUploadInProgressKeepsItsFile() async throws {
        try await DeletionTests.with(.says(used: [])) { parts in
            let (stack, reconciler) = (parts.stack, parts.sweeper.reconciler)
            let generation = UUID()
            let key = BlobKey(
                container: AssetStack.container, checksum: BlobTableTests.checksum, generation: generation)
            let file = try await stack.store.makeUpload()
            try await file.append(ByteBuffer(string: "abc"))
            try await reconciler.runOnce(orphanAge: Self.now)
            try await file.commit(as: key)
            try await reconciler.runOnce(orphanAge: Self.now)
            _ = try await stack.database.query("update asset.stray set first_seen = now() - interval '2 minutes'")
            let arrival = try await stack.table.arrive(
                BlobTableTests.checksum, size: 3, for: AssetStack.scope, generation: generation,
                receiptLife: .seconds(60))
            #expect(arrival.generation == generation)
            try await reconciler.runOnce(orphanAge: Self.now)
            #expect(stack.files("blobs") == [key.rawValue])
            #expect(try await Self.report(stack)["filesWithoutRow"] == 0)
        }
    }

    @Test func aRowWithoutItsFileIsQuarantined() async throws {
        try await DeletionTests.with(.says(used: [])) { parts in
            let stack = parts.stack
            let (missing, cut, kept) = (
                try await ScrubTests.upload("missing", stack), try await ScrubTests.upload("cut off", stack),
                try await ScrubTests.upload("kept", stack)
            )
            try FileManager.default.removeItem(at: stack.path(missing))
            try Data("cut".utf8).write(to: stack.path(cut))
            try await parts.sweeper.runOnce()
            let report = try await Self.report(stack)
            #expect(report["rowsChecked"] == 3 && report["rowsWithoutFile"] == 2 && report["quarantined"] == 2)
            #expect(try await ScrubTests.find(missing, stack).damage?.kind == .missing)
            #expect(try await ScrubTests.find(cut, stack).damage?.kind == .corrupt)
            #expect(try await ScrubTests.find(kept, stack).damage == nil)
        }
    }

    @Test func whatIsCondemnedAndUsedLivesAgain() async throws {
        try await DeletionTests.with(.says(used: [])) { parts in
            let blobs = try await parts.blobs("used", "unused")
            _ = try await parts.stack.table.condemn(blobs.map(\.id), grace: .seconds(3600))
            parts.records.behave(.says(used: [blobs[0].id]))
            try await parts.sweeper.runOnce()
            let (used, unused) = (try await parts.find(blobs[0]), try await parts.find(blobs[1]))
            #expect(used?.condemnation == nil && unused?.condemnation != nil)
            #expect(try await Self.report(parts.stack)["condemnedInUse"] == 1)
            try await QuotaTests.expectExactSums(parts.stack)
        }
    }

    @Test func thatUsesAreGuardedIsLookedUp() async throws {
        try await AssetStack.with { stack in
            #expect(try await Self.report(stack)["usesAreGuarded"] == false)
            try await stack.use(try await ScrubTests.upload("used", stack).id)
            #expect(try await Self.report(stack)["usesAreGuarded"] == true)
        }
    }
}

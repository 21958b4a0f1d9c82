import AssetTestSupport
import CloudKitWire
import Foundation
import NIOCore
import PostgresClient
import RequestServing
import ServiceMessages
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage
@testable import BlobStorage

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
            // The state after a crash between the file and its row. The row is added late, or never.
            let generation = UUID()
            let key = BlobKey(container: kept.container, checksum: BlobTableTests.checksum, generation: generation)
            let file = try await stack.store.makeUpload()
            try await file.append(ByteBuffer(string: "abc"))
            try await file.commit(as: key)
            // A young file may get a row soon.
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
            // The trash keeps the file for the same time again.
            #expect(stack.files("trash") == [key.rawValue])
            try await reconciler.runOnce(orphanAge: Self.now)
            #expect(try await Self.report(stack)["filesWithoutRow"] == 0)
            #expect(stack.files("trash") == [key.rawValue])
            #expect(try await stack.store.emptyTrash(olderThan: Self.now) == 1)
            #expect(stack.files("trash") == [])
        }
    }

    /// The database was restored to an earlier point in time, and then to the right one.
    @Test func aFileComesBackFromTheTrashWithItsRow() async throws {
        try await DeletionTests.with(.says(used: [])) { parts in
            let (stack, reconciler) = (parts.stack, parts.sweeper.reconciler)
            let blob = try await ScrubTests.upload("kept", stack)
            try await stack.store.discard(blob.key)
            #expect(stack.files("blobs") == [])
            try await reconciler.runOnce(orphanAge: Self.now)
            #expect(stack.files("blobs") == [blob.key.rawValue] && stack.files("trash") == [])
            #expect(try await ScrubTests.find(blob, stack).damage == nil)
        }
    }

    @Test func manyFilesWithoutRowsStayUntilAnOperatorSaysSo() async throws {
        try await DeletionTests.with(.says(used: [])) { parts in
            let stack = parts.stack
            var reconciler = parts.sweeper.reconciler
            for number in 0..<101 {
                let upload = try await stack.store.makeUpload()
                try await upload.append(ByteBuffer(string: "\(number)"))
                try await upload.commit(
                    as: BlobKey(
                        container: AssetStack.container, checksum: BlobTableTests.checksum, generation: UUID()))
            }
            try await reconciler.runOnce(orphanAge: Self.now)
            _ = try await stack.database.query("update asset.stray set first_seen = now() - interval '2 minutes'")
            try await reconciler.runOnce(orphanAge: Self.now)
            #expect(stack.files("blobs").count == 101 && stack.files("trash") == [])
            reconciler.maxStrayPercent = 100
            try await reconciler.runOnce(orphanAge: Self.now)
            #expect(stack.files("blobs") == [] && stack.files("trash").count == 101)
        }
    }

    /// Each round continues where the previous one ended.
    @Test func aWalkOverManyFilesTakesSeveralRounds() async throws {
        try await DeletionTests.with(.says(used: [])) { parts in
            let (stack, reconciler) = (parts.stack, parts.sweeper.reconciler)
            for text in ["a", "b", "c", "d"] { _ = try await ScrubTests.upload(text, stack) }
            var files: [Int64] = []
            repeat {
                try await reconciler.runOnce(orphanAge: Self.now, limit: 1)
                files.append(try await Self.report(stack)["files"]?.int ?? 0)
            } while try await stack.table.fileWalk().place != nil && files.count < 20
            #expect(files.reduce(0, +) == 4 && files.count >= 4)
        }
    }

    /// The other database is a copy. It must not remove files that it does not know.
    @Test func aCopyOfTheDatabaseRemovesNothing() async throws {
        try await DeletionTests.with(.says(used: [])) { parts in
            let (stack, ownership) = (parts.stack, parts.stack.parts.ownership)
            try await ownership.confirm()
            let blob = try await parts.blobs("condemned")[0]
            _ = try await stack.table.condemn([blob.id], grace: .seconds(-1))
            // The database was restored into another database or cluster. Its row names the original one.
            let copied = "update asset.store set home = '7/1'"
            _ = try await stack.database.query(PostgresStatement(copied))
            await #expect(throws: StoreOwnership.NotOwned.self) { try await ownership.confirm() }
            try await stack.parts.sweeper.deleter.delete(blob.id)
            try await parts.sweeper.runOnce()
            #expect(stack.files("blobs") == [blob.key.rawValue])
            #expect(await stack.parts.parts.reasonsNotReady().contains { $0.contains("zonda-asset adopt") })
            // An operator makes this database adopt the store. From then on, the other database is refused.
            #expect(try await ownership.adopt() == 2)
            try await ownership.confirm()
            _ = try await stack.database.query("update asset.store set epoch = 1")
            await #expect(throws: StoreOwnership.NotOwned.self) { try await ownership.confirm() }
            #expect(try await ownership.adopt() == 3)
            try await stack.parts.sweeper.deleter.delete(blob.id)
            #expect(stack.files("blobs") == [])
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

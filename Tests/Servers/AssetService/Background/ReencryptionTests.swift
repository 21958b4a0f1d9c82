import AssetTestSupport
import CloudKitModel
import Foundation
import Logging
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
struct ReencryptionTests {
    /// Returns the stack's parts as in a service with these keys.
    static func parts(
        _ stack: AssetStack, _ keys: KeyValuePairs<String, UInt8>?, rate: Int = 1 << 40
    ) throws -> AssetServiceParts {
        var configuration = stack.configuration
        configuration.encryptionKeys = try keys.map { try EncryptionKeys.test($0) }
        configuration.encryptionRate = rate
        return AssetServiceParts(configuration, store: stack.store, pool: stack.pool, host: stack.host)
    }

    static func upload(_ text: String, _ parts: AssetServiceParts) async throws -> UploadedAsset {
        try await parts.http.responder.uploads.uploader.upload(TextSource(text), to: AssetStack.scope)
    }

    /// Returns the text in a row's file, read with the keys of `parts`.
    private static func text(
        _ asset: UploadedAsset, _ stack: AssetStack, _ parts: AssetServiceParts
    ) async throws -> String? {
        guard let row = try await stack.row(asset) else { return nil }
        return try await parts.store.bytes(row.key).map { String(buffer: $0) }
    }

    @Test func blobsOfAnOlderKeyAndPlainOnesAreEncryptedWithTheFirst() async throws {
        try await AssetStack.with { stack in
            let old = try Self.parts(stack, ["old": 1])
            var assets: [(UploadedAsset, String)] = []
            for text in ["", "short", String(repeating: "long ", count: 100_000)] {
                assets.append((try await Self.upload(text, old), text))
                let plain = text + "plain"
                assets.append((try await stack.upload(plain), plain))
            }
            // A condemned blob may be revived.
            _ = try await stack.database.query(
                """
                update asset.blob set state = 'condemned', condemned_at = now(), due = now() + interval '1 day'
                where sha256 = $1
                """, [.bytea(assets[1].0.content.checksum.bytes)])
            let new = try Self.parts(stack, ["new": 2, "old": 1])
            let fresh = try await Self.upload("fresh", new)
            let freshRow = try await stack.row(fresh)
            try await #require(new.reencryption).runOnce()

            let onlyNew = try Self.parts(stack, ["new": 2])
            for (asset, text) in assets {
                let read = try await Self.text(asset, stack, onlyNew)
                #expect(read == text)
            }
            // No old file is left, and files that already had the right key were not changed.
            #expect(stack.files("blobs").count == assets.count + 1)
            #expect(stack.files("incoming") == [])
            let row = try await stack.row(fresh)
            #expect(row == freshRow)
            let rows = try await stack.database.query("select state from asset.blob where state = 'condemned'")
            #expect(rows.affectedRows == 1)
            // Nothing is left to do.
            let before = stack.files("blobs")
            try await #require(onlyNew.reencryption).runOnce()
            #expect(stack.files("blobs") == before)
        }
    }

    @Test func unreadableBlobsDelayNoOther() async throws {
        try await AssetStack.with { stack in
            let (lost, old) = (try Self.parts(stack, ["lost": 3]), try Self.parts(stack, ["old": 1]))
            let unreadable = try await Self.upload("whose key is gone", lost)
            let damaged = try await Self.upload("whose bytes are changed", old)
            let missing = try await Self.upload("whose file is gone", old)
            let wrong = try await stack.upload("plain, and changed")
            let good = try await Self.upload("good", old)
            func row(_ asset: UploadedAsset) async throws -> StoredBlob { try #require(try await stack.row(asset)) }
            func path(_ row: StoredBlob) -> URL { stack.directory.appending(path: "blobs/\(row.key)") }
            let left = [
                try await row(unreadable), try await row(damaged), try await row(missing), try await row(wrong),
            ]
            var bytes = Array(try Data(contentsOf: path(left[1])))
            bytes[3] ^= 1
            try Data(bytes).write(to: path(left[1]))
            try FileManager.default.removeItem(at: path(left[2]))
            try Data("plain, but changed".utf8).write(to: path(left[3]))

            let new = try Self.parts(stack, ["new": 2, "old": 1])
            try await #require(new.reencryption).runOnce()
            let text = try await Self.text(good, stack, try Self.parts(stack, ["new": 2]))
            #expect(text == "good")
            let after = [
                try await row(unreadable), try await row(damaged), try await row(missing), try await row(wrong),
            ]
            #expect(after == left)
            #expect(stack.files("incoming") == [])
            // Only an upload of the same content repairs the blob.
            _ = try await Self.upload("whose file is gone", new)
            let healed = try await Self.text(missing, stack, new)
            #expect(healed == "whose file is gone")
        }
    }

    /// The service is killed between the file and the row, and between the row and the deletion of the old file.
    @Test func aKilledServiceLeavesFilesForTheSweepAndNothingElse() async throws {
        try await AssetStack.with { stack in
            let old = try Self.parts(stack, ["old": 1])
            let new = try Self.parts(stack, ["new": 2, "old": 1])
            let (first, second) = (try await Self.upload("first", old), try await Self.upload("second", old))
            for (asset, text) in [(first, "first"), (second, "second")] {
                let row = try #require(try await stack.row(asset))
                let key = BlobKey(
                    container: row.container, checksum: row.checksum, generation: new.store.makeGeneration())
                let upload = try await new.store.makeUpload()
                try await upload.append(.init(string: text))
                try await upload.commit(as: key)
                if text == "second" {
                    let isHealed = try await stack.table.heal(row.id, lost: row.generation, generation: key.generation)
                    #expect(isHealed)
                }
            }
            for (asset, text) in [(first, "first"), (second, "second")] {
                let read = try await Self.text(asset, stack, new)
                #expect(read == text)
            }
            var sweeper = new.sweeper
            sweeper.orphanAge = .seconds(-10)
            // A file without a row is removed after it has been found twice.
            try await sweeper.runOnce()
            _ = try await stack.database.query("update asset.stray set first_seen = now() - interval '30 days'")
            try await sweeper.runOnce()
            #expect(stack.files("blobs").count == 2)
            try await #require(new.reencryption).runOnce()
            for (asset, text) in [(first, "first"), (second, "second")] {
                let read = try await Self.text(asset, stack, try Self.parts(stack, ["new": 2]))
                #expect(read == text)
            }
        }
    }

    @Test func aRoundThatIsCancelledLeavesNothing() async throws {
        try await AssetStack.with { stack in
            let text = String(repeating: "long ", count: 200_000)
            let asset = try await stack.upload(text)
            // At this rate, the re-encryption would take minutes.
            let parts = try Self.parts(stack, ["new": 2], rate: 1 << 16)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await #require(parts.reencryption).runOnce() }
                try await within(.seconds(20), "the beginning of the copy") {
                    while stack.files("incoming").isEmpty { try await Task.sleep(for: .milliseconds(10)) }
                }
                group.cancelAll()
                await #expect(throws: (any Error).self) { try await group.waitForAll() }
            }
            #expect(stack.files("incoming") == [])
            let read = try await Self.text(asset, stack, parts)
            #expect(read == text)
        }
    }

    /// A request that read the row before the replacement does not find its file, and reads the row again.
    @Test func aReceiptIsGivenThoughTheFileWasReplacedMeanwhile() async throws {
        try await AssetStack.with { stack in
            let asset = try await stack.upload("content")
            let new = try Self.parts(stack, ["new": 2])
            let receipts = AssetReceipts(
                life: .seconds(60), keys: stack.configuration.receiptKeys,
                store: StoreThatIsInterrupted(store: new.store) { try await #require(new.reencryption).runOnce() },
                table: stack.table)
            let given = try await receipts.receipts(for: [asset.content.checksum], in: AssetStack.scope)
            #expect(given[asset.content.checksum] != nil)
        }
    }

    @Test func theSameContentIsEncryptedOnce() async throws {
        try await AssetStack.with { stack in
            let parts = try Self.parts(stack, ["k1": 1])
            for _ in 0..<2 {
                let asset = try await Self.upload("same", parts)
                let text = try await Self.text(asset, stack, parts)
                #expect(text == "same")
            }
            #expect(stack.files("blobs").count == 1)
        }
    }
}

/// A store that executes a closure before it reports a size.
private struct StoreThatIsInterrupted: BlobStore {
    let store: any BlobStore
    let interruption: @Sendable () async throws -> Void

    func size(of key: BlobKey) async throws(BlobStoreError) -> Int64? {
        do { try await interruption() } catch { throw BlobStoreError("\(error)") }
        return try await store.size(of: key)
    }

    func makeUpload() async throws(BlobStoreError) -> any BlobUpload { try await store.makeUpload() }
    func open(_ key: BlobKey) async throws(BlobStoreError) -> (any BlobReader)? { try await store.open(key) }
    func remove(_ key: BlobKey) async throws(BlobStoreError) { try await store.remove(key) }
    func removeAbandonedUploads() async throws(BlobStoreError) -> Int { try await store.removeAbandonedUploads() }
    func page(after place: String?, olderThan age: Duration) async throws(BlobStoreError) -> BlobPage {
        try await store.page(after: place, olderThan: age)
    }
    func discard(_ key: BlobKey) async throws(BlobStoreError) { try await store.discard(key) }
    func recover(_ key: BlobKey) async throws(BlobStoreError) -> Bool { try await store.recover(key) }
    func emptyTrash(olderThan age: Duration) async throws(BlobStoreError) -> Int {
        try await store.emptyTrash(olderThan: age)
    }
    func mark() async throws(BlobStoreError) -> StoreMark? { try await store.mark() }
    func setMark(_ mark: StoreMark) async throws(BlobStoreError) { try await store.setMark(mark) }
    func identify(as id: UUID) async throws(BlobStoreError) { try await store.identify(as: id) }
    func check() async throws(BlobStoreError) { try await store.check() }
}

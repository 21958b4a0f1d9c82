import AssetTestSupport
import CloudKitModel
import Foundation
import NIOCore
import PostgresClient
import RequestServing
import ServiceMessages
import ServiceRuntime
import SignedTokens
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage

@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct AssetUploaderTests {
    @Test func anUploadIsStoredAndReceipted() async throws {
        try await AssetStack.with { stack in
            let asset = try await stack.upload("some bytes")
            let row = try #require(try await stack.row(asset))
            let text = try await stack.text(row.key)
            #expect(text == "some bytes")
            let receipt = try #require(
                AssetReceipt(opening: asset.receipt, with: stack.configuration.receiptKeys))
            #expect(receipt.blob == row.id.rawValue)
            #expect(receipt.checksum == asset.content.checksum && receipt.size == 10)
            #expect(receipt.scope == AssetStack.scope)
            #expect(receipt.expiresAt == row.receiptUntil)
        }
    }

    @Test func equalContentIsOneFileOfAContainer() async throws {
        try await AssetStack.with { stack in
            let assets = try await withThrowingTaskGroup(of: UploadedAsset.self) { group in
                for _ in 0..<8 { group.addTask { try await stack.upload("the same") } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            let receipts = assets.compactMap {
                AssetReceipt(opening: $0.receipt, with: stack.configuration.receiptKeys)
            }
            #expect(receipts.count == 8 && Set(receipts.map(\.blob)).count == 1)
            _ = try await stack.upload("the same", container: "another")
            #expect(stack.files("blobs").count == 2)
            #expect(stack.host.metrics.value(of: AssetMetrics.uploads) == 9)
            #expect(stack.host.metrics.value(of: AssetMetrics.deduplicatedBytes) == 7 * 8)
        }
    }

    @Test(arguments: ["removed", "cut"])
    func lostBytesComeBackWithTheNextUpload(loss: String) async throws {
        try await AssetStack.with { stack in
            let lost = try #require(try await stack.row(try await stack.upload("precious")))
            let path = stack.directory.appending(path: "blobs/\(lost.key)").path
            if loss == "removed" {
                try FileManager.default.removeItem(atPath: path)
            } else {
                try Data("preci".utf8).write(to: URL(fileURLWithPath: path))
            }
            let healed = try #require(try await stack.row(try await stack.upload("precious")))
            #expect(healed.id == lost.id && healed.generation != lost.generation)
            let text = try await stack.text(healed.key)
            #expect(text == "precious")
        }
    }

    @Test func whatFailsInTheMiddleLeavesNothing() async throws {
        try await AssetStack.with { stack in
            await #expect(throws: TestFailure.self) {
                _ = try await stack.uploader.upload(
                    TextSource(ByteBuffer(repeating: 1, count: 1 << 20), failingWith: TestFailure("cut off")),
                    to: AssetStack.scope, field: "f", patience: .seconds(1))
            }
            #expect(stack.files("incoming") == [] && stack.files("blobs") == [])
        }
    }

    @Test func tooManyBytesAreRefusedWhileTheyCome() async throws {
        try await AssetStack.with(["ZONDA_ASSET_MAX_BYTES": "10"]) { stack in
            let error = await #expect(throws: ServerError.self) { _ = try await stack.upload("eleven chars") }
            #expect(error?.reasonCode == "asset_too_large")
            #expect(error?.field == "file" && error?.limit == 10 && error?.actual == 12)
            #expect(stack.files("incoming") == [])
        }
    }

    @Test func anUploadThatMeetsADatabaseAwayLeavesAFileForTheReconcilerOnly() async throws {
        try await AssetStack.with { stack in
            _ = try await stack.database.query("alter table asset.blob rename to elsewhere")
            await #expect(throws: ServerError.self) { _ = try await stack.upload("homeless") }
            #expect(stack.files("incoming") == [] && stack.files("blobs").count == 1)
            _ = try await stack.database.query("alter table asset.elsewhere rename to blob")
            var sweeper = stack.parts.sweeper
            try await sweeper.runOnce()
            #expect(stack.files("blobs").count == 1)
            sweeper.orphanAge = .seconds(-1)
            let kept = try #require(try await stack.row(try await stack.upload("at home")))
            try await sweeper.runOnce()
            #expect(stack.files("blobs").count == 2)
            // It is not enough that the file has been found once.
            _ = try await stack.database.query("update asset.stray set first_seen = now() - interval '30 days'")
            try await sweeper.runOnce()
            #expect(stack.files("blobs").count == 1)
            let text = try await stack.text(kept.key)
            #expect(text == "at home")
        }
    }
}

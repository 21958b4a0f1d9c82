import CloudKitModel
import CloudKitWire
import RequestServing
import ServiceMessages
import SignedTokens
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage

/// The user's own content, which need not be transferred again, and other users' content, which must be.
@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct OwnContentsTests {
    private static let mine = AssetScope(
        container: AssetStack.container, environment: .development, scope: .private, owner: AssetRequests.user)

    /// Returns the answer to a token for a content.
    private static func token(
        _ asset: UploadedAsset, _ stack: AssetStack, _ uses: BlobUses, receipt: String? = nil, size: Int64? = nil,
        to scope: AssetScope = mine
    ) async throws -> JSONValue {
        let operation = AssetsUploadOperation(
            publicURL: "https://a.example", life: .seconds(60), keys: stack.configuration.uploadKeys,
            contents: OwnContents(
                keys: stack.configuration.receiptKeys, table: stack.table,
                receipts: stack.parts.receipts, uses: uses))
        let token: JSONValue = [
            "fieldName": "photo", "fileChecksum": .string(asset.content.checksum.fileChecksum),
            "size": .int(size ?? asset.content.size), "receipt": receipt.map { .string($0) } ?? .null,
        ]
        let answer = try await operation.answer(
            try AssetRequests.open(.assetsUpload, ["tokens": [token]]), to: scope)
        return try #require(answer.json["tokens"]?[0])
    }

    @Test func contentOfARecordOfTheUsersComesWithAReceipt() async throws {
        try await AssetStack.with { stack in
            let asset = try await stack.upload("mine")
            let row = try #require(try await stack.row(asset))
            try await FakeRecordService.with(.says(used: [row.id])) { _, uses, _ in
                try await stack.expireReceipts()
                let token = try await Self.token(asset, stack, uses)
                #expect(token["url"] == nil && token["fieldName"] == "photo")
                let file = try #require(token["singleFile"])
                #expect(file["fileChecksum"]?.string == asset.content.checksum.fileChecksum)
                let receipt = try #require(
                    AssetReceipt(opening: file["receipt"]?.string ?? "", with: stack.configuration.receiptKeys))
                #expect(receipt.scope == Self.mine && receipt.blob == row.id.rawValue)
                #expect(receipt.expiresAt > SystemClock.milliseconds())
                // With another size, it is another content.
                let other = try await Self.token(asset, stack, uses, size: 5)
                #expect(other["singleFile"] == nil && other["url"] != nil)
            }
        }
    }

    @Test func contentOfOthersLooksLikeNone() async throws {
        try await AssetStack.with { stack in
            let theirs = try await stack.upload("theirs")
            let nowhere = try await stack.upload("nowhere", container: "another")
            try await FakeRecordService.with(.says(used: [])) { records, uses, _ in
                for (number, asset) in [theirs, nowhere].enumerated() {
                    let token = try await Self.token(asset, stack, uses)
                    #expect(token["url"] != nil && token["singleFile"] == nil)
                    #expect(token.members?.map(\.key) == ["recordName", "fieldName", "url"])
                    // Both cases take the same number of requests.
                    #expect(records.questions.elements.count == number + 1)
                    #expect(records.questions.elements.last?.count == 1)
                    let ticket = try #require(
                        AssetUploadTicket(
                            opening: token["url"]?.string?.split(separator: "/").last ?? "",
                            with: stack.configuration.uploadKeys))
                    #expect(ticket.content?.checksum == asset.content.checksum)
                }
            }
        }
    }

    @Test func aReceiptIsProofOnlyWhereItIsGood() async throws {
        try await AssetStack.with { stack in
            let asset = try await stack.upload("bytes")
            let row = try #require(try await stack.row(asset))
            func receipt(_ scope: AssetScope, _ seconds: Int64) -> String {
                AssetReceipt(
                    blob: row.id.rawValue, checksum: asset.content.checksum, size: 5, scope: scope,
                    expiresAt: SystemClock.milliseconds() + seconds * 1000
                ).sealed(with: stack.configuration.receiptKeys)
            }
            try await FakeRecordService.with(.says(used: [])) { _, uses, _ in
                for (receipt, isGood) in [
                    (receipt(Self.mine, 60), true), (receipt(AssetStack.scope, 60), false),
                    (receipt(Self.mine, -60), false), ("forged", false),
                ] {
                    let token = try await Self.token(asset, stack, uses, receipt: receipt)
                    #expect((token["singleFile"] != nil) == isGood)
                }
            }
        }
    }

    @Test func aRecordServiceThatIsAwayCostsATransferOnly() async throws {
        try await AssetStack.with { stack in
            let asset = try await stack.upload("bytes")
            try await FakeRecordService.with(.fails) { _, uses, _ in
                let token = try await Self.token(asset, stack, uses)
                #expect(token["url"] != nil)
            }
        }
    }
}

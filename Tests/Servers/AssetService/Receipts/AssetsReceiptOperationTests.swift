import CloudKitModel
import CloudKitWire
import RequestServing
import ServiceMessages
import SignedTokens
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage
@testable import BlobStorage

@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct AssetsReceiptOperationTests {
    private static func ask(_ stack: AssetStack, _ body: JSONValue) async throws -> Answer {
        try #require(await stack.parts.operations.answer(try AssetRequests.open(.assetsReceipt, body)))
    }

    private static func body(_ checksums: [AssetChecksum], database: String = "private") -> JSONValue {
        [
            "container": .string(AssetStack.container), "environment": "production", "database": .string(database),
            "owner": .string(AssetRequests.user), "fileChecksums": .array(checksums.map { .string($0.fileChecksum) }),
        ]
    }

    @Test func storedContentGetsAReceiptOfTheDatabaseAsked() async throws {
        try await AssetStack.with { stack in
            let checksum = try await stack.upload("bytes").content.checksum
            for (database, owner) in [("private", AssetRequests.user), ("public", ZoneAddress.publicOwner)] {
                let answer = try await Self.ask(
                    stack, Self.body([checksum, BlobTableTests.checksum], database: database))
                #expect(answer.status == 200)
                let file = try #require(answer.json["assets"]?[0])
                #expect(file["fileChecksum"] == .string(checksum.fileChecksum) && file["size"] == 5)
                let receipt = try #require(
                    AssetReceipt(opening: file["receipt"]?.string ?? "", with: stack.configuration.receiptKeys))
                #expect(
                    receipt.scope
                        == AssetScope(
                            container: AssetStack.container, environment: .production,
                            scope: try #require(DatabaseScope(wireName: database)), owner: owner))
                #expect(receipt.checksum == checksum && receipt.size == 5)
                #expect(answer.json["assets"]?[1]?["reasonCode"] == "asset_not_found")
                #expect(
                    answer.json["assets"]?[1]?["fileChecksum"] == .string(BlobTableTests.checksum.fileChecksum))
            }
        }
    }

    @Test func receiptKeepsCondemnedContentAlive() async throws {
        try await AssetStack.with { stack in
            let asset = try await stack.upload("bytes")
            try await stack.expireReceipts()
            let row = try #require(try await stack.row(asset))
            #expect(try await stack.table.condemn([row.id], grace: .seconds(0)).count == 1)
            let answer = try await Self.ask(stack, Self.body([asset.content.checksum]))
            let receipt = try #require(
                AssetReceipt(
                    opening: answer.json["assets"]?[0]?["receipt"]?.string ?? "",
                    with: stack.configuration.receiptKeys))
            let kept = try #require(try await stack.row(asset))
            #expect(kept.condemnation == nil && kept.receiptUntil >= receipt.expiresAt)
            #expect(try await stack.table.delete(row.id) == .passedOver)
        }
    }

    @Test func contentWhoseFileIsLostGetsNone() async throws {
        try await AssetStack.with { stack in
            let asset = try await stack.upload("bytes")
            try await stack.store.remove(try #require(try await stack.row(asset)).key)
            let answer = try await Self.ask(stack, Self.body([asset.content.checksum]))
            #expect(answer.json["assets"]?[0]?["reasonCode"] == "asset_not_found")
        }
    }

    @Test(arguments: ["container", "environment", "database", "owner", "fileChecksums"])
    func missingKeyIsNamed(key: String) async throws {
        try await AssetStack.with { stack in
            let body = Self.body([]).members?.filter { $0.key != key } ?? []
            let answer = try await Self.ask(stack, .object(body))
            #expect(answer.status == 400 && answer.json["field"] == .string(key))
        }
    }
}

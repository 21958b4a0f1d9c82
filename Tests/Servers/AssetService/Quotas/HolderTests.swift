import AssetTestSupport
import CloudKitWire
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage

/// The holders of blobs follow the records.
@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct HolderTests {
    private static let (ann, bob) = (QuotaTests.ann, QuotaTests.bob)

    /// Makes all receipts expire, long enough ago for every save to have ended.
    private static func expireHolds(_ stack: AssetStack) async throws {
        _ = try await stack.database.query("update asset.holder set until = now() - interval '1 day'")
        _ = try await stack.database.query("update asset.blob set count_at = now()")
    }

    private static func holder(_ blob: StoredBlob, _ scope: AssetScope) -> BlobHolder {
        BlobHolder(blob: blob.id, environment: scope.environment, scope: scope.scope, owner: scope.owner)
    }

    @Test func aReceiptCountsUntilItExpiresAndAUseAsLongAsItIsThere() async throws {
        try await DeletionTests.with(.says(used: [])) { parts in
            let (stack, records) = (parts.stack, parts.records)
            let row = try #require(try await stack.row(try await stack.upload("four", to: Self.ann)))
            _ = try await stack.upload("four", to: Self.bob)
            // The blob is not in use, but the receipts are valid.
            _ = try await stack.database.query("update asset.blob set count_at = now()")
            try await parts.holders.runOnce()
            #expect(try await QuotaTests.bytes(stack, Self.ann) == 4)
            try await Self.expireHolds(stack)
            records.hold([Self.holder(row, Self.ann)])
            try await parts.holders.runOnce()
            #expect(try await QuotaTests.bytes(stack, Self.ann) == 4)
            #expect(try await QuotaTests.bytes(stack, Self.bob) == 0)
            try await QuotaTests.expectExactSums(stack)
        }
    }

    @Test func aUseThatWasNotCountedIs() async throws {
        try await DeletionTests.with(.says(used: [])) { parts in
            let row = try #require(try await parts.stack.row(try await parts.stack.upload("seven!!")))
            // The state after the upgrade: records use blobs that have no known holder.
            _ = try await parts.stack.database.query("delete from asset.holder")
            parts.records.hold([Self.holder(row, Self.ann), Self.holder(row, Self.bob)])
            _ = try await parts.stack.database.query("update asset.blob set count_at = now()")
            try await parts.sweeper.runOnce()
            #expect(try await QuotaTests.bytes(parts.stack, Self.ann) == 7)
            #expect(try await QuotaTests.bytes(parts.stack, Self.bob) == 7)
            try await QuotaTests.expectExactSums(parts.stack)
        }
    }

    @Test func whatAChangeDropsIsFreeAtOnce() async throws {
        try await DeletionTests.with(.says(used: [])) { parts in
            let row = try #require(try await parts.stack.row(try await parts.stack.upload("dropped")))
            #expect(try await QuotaTests.bytes(parts.stack, AssetStack.scope) == 7)
            let event = DeletionTests.event(dropping: [row])
            try await parts.holders.handle(event)
            // The receipt is still valid.
            #expect(try await QuotaTests.bytes(parts.stack, AssetStack.scope) == 7)
            try await Self.expireHolds(parts.stack)
            try await parts.holders.handle(event)
            #expect(try await QuotaTests.bytes(parts.stack, AssetStack.scope) == 0)
        }
    }

    @Test(arguments: [FakeRecordService.Manner.isSilent, .fails])
    func nothingIsFreeWhileTheRecordServiceDoesNotSay(manner: FakeRecordService.Manner) async throws {
        try await DeletionTests.with(manner, timeout: .milliseconds(300)) { parts in
            let row = try #require(try await parts.stack.row(try await parts.stack.upload("dropped")))
            try await Self.expireHolds(parts.stack)
            try await parts.holders.handle(DeletionTests.event(dropping: [row]))
            await #expect(throws: BlobUses.Unknown.self) { try await parts.holders.runOnce() }
            #expect(try await QuotaTests.bytes(parts.stack, AssetStack.scope) == 7)
        }
    }

    @Test func operatorsSeeWhoHoldsWhat() async throws {
        try await AssetStack.with(["ZONDA_ASSET_USER_QUOTA": "100"]) { stack in
            let asset = try await stack.upload("common", to: Self.ann)
            _ = try await stack.upload("common", to: Self.bob)
            _ = try await stack.upload("bob's", to: Self.bob)
            let container = JSONValue.string(AssetStack.container)
            let usage = try await AssetOperationTests.ask(stack, .assetsUsage, ["container": container]).json
            #expect(usage["bytes"] == 11 && usage["blobs"] == 2)
            #expect(usage["userQuota"] == 100 && usage["containerQuota"] == nil)
            #expect(usage["databases"]?.array?.map { $0["owner"] } == ["bob", "ann"])
            #expect(usage["databases"]?.array?.map { $0["bytes"] } == [11, 6] && usage["total"] == 2)
            let one = try await AssetOperationTests.ask(
                stack, .assetsUsage, ["container": container, "user": "ann", "limit": 5]
            ).json
            #expect(one["databases"]?.array?.map { $0["bytes"] } == [6])
            let stat = try await AssetOperationTests.stat(stack, asset.content.checksum.hex).json
            #expect(stat["holders"]?.array?.map { $0["owner"] } == ["ann", "bob"])
        }
    }
}

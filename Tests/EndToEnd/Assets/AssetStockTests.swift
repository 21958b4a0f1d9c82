import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The quotas that operators set, and the damage that verification finds.
    @Suite(.timeLimit(.minutes(4))) struct AssetStockTests {
        @Test func aUsersQuotaIsKeptAndShown() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.asset, ["ZONDA_ASSET_USER_QUOTA": "1500"])
                let client = stack.client()
                let first = try await client.put(randomBytes(1000))
                #expect(first.status == 200)
                let second = try await client.put(randomBytes(1000))
                #expect(second.status == 413)
                #expect(second["serverErrorCode"] == "QUOTA_EXCEEDED" && second["limit"] == 1500)
                let usage = try await client.ask(.assetsUsage, ["container": .string(stack.container)])
                #expect(usage["bytes"] == 1000 && usage["userQuota"] == 1500)
                #expect(usage["databases"]?[0]?["bytes"] == 1000)
            }
        }

        @Test func aCorruptFileIsFoundRefusedAndHealed() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.asset, ["ZONDA_ASSET_SCRUB_INTERVAL": "1s"])
                try await stack.startService()
                let client = stack.client()
                try await client.zones("create", "Notes")
                let bytes = randomBytes(1000)
                try await client.save("Notes", "a", ["file": try await client.upload(bytes)])
                let name = try #require(stack.blobFiles.first)
                let blobs = stack.assetFolder.appending(path: "blobs")
                let path = try #require(
                    FileManager.default.subpaths(atPath: blobs.path)?.first { $0.hasSuffix(name) })
                let file = try FileHandle(forWritingTo: blobs.appending(path: path))
                try file.write(contentsOf: Data("damage".utf8))
                try file.close()
                try await eventually("the damage is found") {
                    let list = try await client.ask(.assetsQuarantine, ["container": .string(stack.container)])
                    return list["blobs"]?[0]?["damage"] == "corrupt" ? true : nil
                }
                // The record can be fetched as before. Only its download address returns the error.
                let refused = try await AssetClient.get(try await client.downloadURL("Notes", "a"))
                #expect(refused.status == 404 && refused.json["reasonCode"] == "asset_damaged")
                _ = try await client.upload(bytes)
                #expect(try await client.bytes("Notes", "a") == bytes)
            }
        }
    }
}

import CloudKitWire
import FoundationEssentials
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// If a folder and a database did not belong together, each other's files would be treated as stray.
    @Suite(.timeLimit(.minutes(2))) struct AssetStoreTests {
        @Test func anotherFolderIsRefused() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService(.asset)
                _ = try await stack.client().upload(randomBytes(100))
                let stranger = try stack.launchService(
                    .asset, ["ZONDA_ASSET_DIRECTORY": stack.assetFolder.appending(path: "other").path])
                let exit = try await stranger.exit(within: .seconds(20))
                #expect(exit != .code(0))
                #expect(stranger.log.contains("ZONDA_ASSET_DIRECTORY"))
                // Another instance with the same folder starts.
                try await stack.startService(.asset)
                #expect(service.exit == nil)
            }
        }

        /// Imitates a full disk: the setting for the space that uploads must leave exceeds the size of the disk.
        @Test func aFullDiskIsNotReadyAndServesDownloads() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService()
                let before = try await stack.startService(.asset)
                let client = stack.client()
                try await client.zones("create", "Notes")
                let bytes = randomBytes(100)
                try await client.save("Notes", "a", ["file": try await client.upload(bytes)])
                before.terminate()
                _ = try await before.exit(within: .seconds(20))
                let full = try stack.launchService(.asset, ["ZONDA_ASSET_MIN_FREE": "1125899906842624"])
                try await full.waitUntilNotReady(because: "asset.minFree")
                #expect(try await client.bytes("Notes", "a") == bytes)
                let refused = try await AssetClient.upload(randomBytes(100), to: try await client.uploadURL())
                #expect(refused.status == 503 && refused.json["reasonCode"] == "asset_store_full")
                #expect(refused.json["reason"] == "The asset store is full")
                #expect(stack.incomingFiles == [] && full.exit == nil)
            }
        }

        /// The database behaves like one that was restored into another cluster.
        @Test func aCopyOfTheDatabaseIsNotReadyUntilItAdoptsTheStore() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService(.asset)
                _ = try await stack.database.query("update asset.store set home = '1/1'")
                try await service.waitUntilNotReady(because: "zonda-asset adopt")
                let command = try stack.launchService(.asset, arguments: ["adopt"])
                #expect(try await command.exit(within: .seconds(30)) == .code(0), "\(command.log)")
                try await service.waitUntilReady()
            }
        }
    }
}

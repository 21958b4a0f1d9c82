import FoundationEssentials
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// A folder and a database that do not belong together would take each other's files for leftovers.
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
                // One with the same folder is welcome.
                try await stack.startService(.asset)
                #expect(service.exit == nil)
            }
        }
    }
}

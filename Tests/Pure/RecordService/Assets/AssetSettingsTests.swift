import CloudKitModel
import Foundation
import ServiceMessages
import ServiceRuntime
import Testing

@testable import RecordService

/// The settings from which the URLs of assets are built.
struct AssetSettingsTests {
    private static func downloads(_ settings: [String: String]) throws -> AssetDownloads? {
        let file = FileManager.default.temporaryDirectory.appending(path: "zonda-\(UUID().uuidString).keys")
        try "test:\(String(repeating: "5a", count: 32))\n".write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let own = [
            "ZONDA_AMQP_URL": "amqp://u:p@h/v", "ZONDA_POSTGRES_URL": "postgres://h/d",
            "ZONDA_SIGNING_KEYS_FILE": file.path,
        ]
        return try RecordServiceConfiguration(
            ServiceSettings(variables: own.merging(settings) { $1 })
        ).downloads
    }

    private static let asset = Asset(fileChecksum: AssetAdmissionTests.checksum.fileChecksum, size: 3)

    @Test func withoutAnAddressOfTheAssetServiceThereAreNoDownloads() throws {
        let downloads = try Self.downloads([:])
        #expect(downloads == nil)
    }

    @Test(arguments: ["https://files.example:8202", "https://files.example:8202/"])
    func addressesBeginWithTheAssetServices(url: String) throws {
        let scope = AssetScope(container: "c", environment: .development, scope: .public, owner: "_public")
        let downloads = try #require(try Self.downloads(["ZONDA_ASSET_URL": url]))
        #expect(downloads.url(of: Self.asset, in: scope)?.hasPrefix("https://files.example:8202/download/") == true)
        #expect(downloads.url(of: Asset(size: 3), in: scope) == nil)
    }

    @Test(arguments: [("ZONDA_ASSET_URL", "files.example"), ("ZONDA_ASSET_DOWNLOAD_LIFE", "0")])
    func aBadSettingIsNamed(variable: String, value: String) {
        let error = #expect(throws: SettingError.self) { try Self.downloads([variable: value]) }
        #expect(error?.description.hasPrefix(variable) == true)
    }
}

import AssetTestSupport
import Foundation
import ServiceRuntime
import Testing

@testable import AssetService

struct AssetServiceConfigurationTests {
    @Test func theDefaultsAreThoseOfTheTable() throws {
        let configuration = try AssetServiceConfiguration.test()
        #expect(configuration.httpPort == 8202)
        #expect(configuration.publicURL == "http://127.0.0.1:8202")
        #expect(configuration.maxAssetBytes == 262_144_000)
        #expect(configuration.uploadLife == .seconds(3600))
        #expect(configuration.receiptLife == .seconds(86_400))
        #expect(configuration.grace == .seconds(604_800))
        #expect(configuration.sweepInterval == .seconds(600))
    }

    @Test(arguments: [("7d", 604_800), ("90s", 90), ("5m", 300), ("1h", 3600), ("12", 12)])
    func timesHaveUnits(text: String, seconds: Int) throws {
        let configuration = try AssetServiceConfiguration.test(["ZONDA_ASSET_GRACE": text])
        #expect(configuration.grace == .seconds(seconds))
    }

    @Test(arguments: [
        ("ZONDA_ASSET_GRACE", "0s"), ("ZONDA_ASSET_GRACE", "50d"), ("ZONDA_ASSET_GRACE", "1.5h"),
        ("ZONDA_ASSET_GRACE", "s"), ("ZONDA_ASSET_GRACE", "-1s"), ("ZONDA_ASSET_GRACE", "9223372036854775807d"),
        ("ZONDA_ASSET_SWEEP", "soon"), ("ZONDA_ASSET_RECEIPT_LIFE", "1w"), ("ZONDA_ASSET_UPLOAD_LIFE", "366d"),
        ("ZONDA_ASSET_MAX_BYTES", "0"), ("ZONDA_ASSET_URL", "assets.example.org"), ("ZONDA_HTTP_PORT", "0"),
        ("ZONDA_ASSET_DIRECTORY", ""),
    ])
    func aSettingOutOfRangeIsNamed(variable: String, value: String) {
        let error = #expect(throws: SettingError.self) { try AssetServiceConfiguration.test([variable: value]) }
        #expect(error?.description.hasPrefix("\(variable): ") == true)
    }

    @Test func thePublicAddressHasNoSlashAtItsEnd() throws {
        let configuration = try AssetServiceConfiguration.test(["ZONDA_ASSET_URL": "https://assets.example.org/"])
        #expect(configuration.publicURL == "https://assets.example.org")
    }
}

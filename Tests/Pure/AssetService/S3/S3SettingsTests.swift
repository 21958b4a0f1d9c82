import AssetTestSupport
import Foundation
import ServiceRuntime
import Testing

@testable import AssetService
@testable import BlobStorage

struct S3SettingsTests {
    static let variables = [
        "ZONDA_ASSET_S3_BUCKET": "blobs", "ZONDA_ASSET_S3_ACCESS_KEY": "id", "ZONDA_ASSET_S3_SECRET_KEY": "hush",
    ]

    static func configuration(_ settings: [String: String]) throws -> S3Configuration? {
        let all = Self.variables.merging(settings) { $1 }.filter { $0.value != "-" }
        guard case .s3(let s3) = try AssetServiceConfiguration.test(all).store else { return nil }
        return s3
    }

    @Test func aBucketIsTheStoreWhenOneIsNamed() throws {
        let amazon = try #require(try Self.configuration([:]))
        #expect(amazon.bucket == "blobs" && amazon.region == "us-east-1" && amazon.endpoint == nil)
        #expect(!amazon.isPathStyle && amazon.prefix == "" && amazon.partBytes == 8 << 20)
        #expect(amazon.accessKey == "id" && amazon.secretKey.text == "hush")
        let own = try #require(
            try Self.configuration([
                "ZONDA_ASSET_S3_ENDPOINT": "https://minio:9000/", "ZONDA_ASSET_S3_PREFIX": "a/b",
                "ZONDA_ASSET_S3_REGION": "eu-west-3", "ZONDA_ASSET_MAX_BYTES": "1099511627776",
            ]))
        #expect(own.endpoint == "https://minio:9000" && own.isPathStyle && own.prefix == "a/b/")
        #expect(own.region == "eu-west-3" && own.partBytes == 109_951_163)
        #expect(try Self.configuration(["ZONDA_ASSET_S3_PATH_STYLE": "true"])?.isPathStyle == true)
        guard
            case .directory("/nowhere", minFreeBytes: 256 << 20) = try AssetServiceConfiguration.test()
                .store
        else {
            Issue.record("without a bucket the store is a folder")
            return
        }
    }

    @Test func theSecretMayBeInAFile() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).secret")
        try "hush hush\n".write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let settings = ["ZONDA_ASSET_S3_SECRET_KEY_FILE": file.path]
        let configuration = try Self.configuration(settings.merging(["ZONDA_ASSET_S3_SECRET_KEY": "-"]) { $1 })
        #expect(configuration?.secretKey.text == "hush hush")
        #expect(throws: SettingError.self) { try Self.configuration(settings) }
    }

    @Test(arguments: [
        ("ZONDA_ASSET_S3_BUCKET", "Blobs"), ("ZONDA_ASSET_S3_BUCKET", "a/b"), ("ZONDA_ASSET_S3_BUCKET", "a..b"),
        ("ZONDA_ASSET_S3_REGION", "a b"), ("ZONDA_ASSET_S3_ENDPOINT", "minio:9000"),
        ("ZONDA_ASSET_S3_ENDPOINT", "http://user:hush@minio"), ("ZONDA_ASSET_S3_ENDPOINT", "http://minio/path"),
        ("ZONDA_ASSET_S3_ENDPOINT", "http://"), ("ZONDA_ASSET_S3_PREFIX", "/a"), ("ZONDA_ASSET_S3_PREFIX", "a/../b"),
        ("ZONDA_ASSET_S3_PREFIX", "a//b"), ("ZONDA_ASSET_S3_PREFIX", "a b"), ("ZONDA_ASSET_S3_PART_BYTES", "1000"),
        ("ZONDA_ASSET_S3_PATH_STYLE", "maybe"), ("ZONDA_ASSET_S3_ACCESS_KEY", "-"),
        ("ZONDA_ASSET_S3_SECRET_KEY_FILE", "/nowhere/hush"),
    ])
    func whatIsWrongIsNamed(variable: String, value: String) {
        let error = #expect(throws: SettingError.self) { try Self.configuration([variable: value]) }
        #expect(error?.description.hasPrefix("\(variable): ") == true)
        #expect(error?.description.contains("hush") == false)
    }

    @Test func aBucketNeedsNoFolderAndWithoutBothThereIsNoStore() throws {
        let others = [
            "ZONDA_AMQP_URL": "amqp://localhost", "ZONDA_POSTGRES_URL": "postgres://localhost",
            "ZONDA_SIGNING_KEYS": "test:\(String(repeating: "0", count: 64))",
        ]
        _ = try AssetServiceConfiguration(ServiceSettings(variables: others.merging(Self.variables) { $1 }))
        let error = #expect(throws: SettingError.self) {
            _ = try AssetServiceConfiguration(ServiceSettings(variables: others))
        }
        #expect(error?.description.contains("ZONDA_ASSET_DIRECTORY: or ZONDA_ASSET_S3_BUCKET must be set") == true)
    }

    @Test func noDescriptionShowsTheSecret() throws {
        let configuration = try #require(try Self.configuration([:]))
        #expect(!"\(configuration)".contains("hush") && !String(reflecting: configuration).contains("hush"))
    }
}

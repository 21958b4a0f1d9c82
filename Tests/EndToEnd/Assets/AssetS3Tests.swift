import AsyncHTTPClient
import CloudKitWire
import Foundation
import NIOCore
import NIOHTTP1
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The asset service with its blobs in a bucket.
    @Suite(.enabled(if: TestS3.current != nil, "\(TestS3.absence)"), .timeLimit(.minutes(2))) struct AssetS3Tests {
        @Test func uploadedBytesGoIntoTheBucketAndComeBack() async throws {
            let server = try TestS3.required()
            try await ServiceStack.with { stack in
                let secret = stack.assetFolder.appending(path: "s3-secret")
                try "\(server.secretKey)\n".write(to: secret, atomically: true, encoding: .utf8)
                let bucket = TestEnvironment.uniqueName("assets").replacing("_", with: "-")
                try await Self.make(bucket, at: server)
                let settings = [
                    "ZONDA_ASSET_S3_BUCKET": bucket, "ZONDA_ASSET_S3_ENDPOINT": server.url,
                    "ZONDA_ASSET_S3_ACCESS_KEY": server.accessKey, "ZONDA_ASSET_S3_SECRET_KEY_FILE": secret.path,
                    "ZONDA_ASSET_S3_PREFIX": "zonda", "ZONDA_ASSET_GRACE": "1s", "ZONDA_ASSET_RECEIPT_LIFE": "1s",
                    "ZONDA_ASSET_SWEEP": "1s",
                ]
                let assets = try await stack.startService(.asset, settings)
                try await stack.startService(.record)
                let client = stack.client()
                try await client.zones("create", "Notes")
                // One content has several parts, the other has one.
                let contents = [randomBytes(20_000_000), randomBytes(1000)]
                for (number, bytes) in contents.enumerated() {
                    let asset = try await client.upload(bytes)
                    try await client.save("Notes", "\(number)", ["file": asset])
                    let url = try await client.downloadURL("Notes", "\(number)")
                    let whole = try await AssetClient.get(url)
                    #expect(whole.status == 200 && whole.body == bytes)
                    let middle = bytes.count / 2 - 100...bytes.count / 2 + 99
                    let part = try await AssetClient.get(
                        url, headers: ["range": "bytes=\(middle.lowerBound)-\(middle.upperBound)"])
                    #expect(part.status == 206 && part.body == Array(bytes[middle]))
                }
                #expect(stack.blobFiles == [] && stack.incomingFiles == [])
                let peak = try await assets.peakMemory()
                print("peak memory of the asset service: \(peak / 1_048_576) MiB")

                // Unused contents are deleted here too.
                let url = try await client.downloadURL("Notes", "1")
                try await client.save("Notes", "1", ["text": "x", "file": .null])
                try await eventually("the bytes go") { try await AssetClient.get(url).status == 404 ? true : nil }

                // Another prefix is another store, which does not belong to this database.
                let stranger = try stack.launchService(.asset, settings.merging(["ZONDA_ASSET_S3_PREFIX": "x"]) { $1 })
                let exit = try await stranger.exit(within: .seconds(20))
                #expect(exit != .code(0))
                #expect(stranger.log.contains("ZONDA_ASSET_S3_BUCKET"))
                #expect(!stranger.log.contains("secret"))
            }
        }

        /// Creates a bucket. (The test server does not check credentials for this.)
        private static func make(_ bucket: String, at server: TestS3) async throws {
            var request = HTTPClientRequest(url: "\(server.url)/\(bucket)")
            request.method = .PUT
            let response = try await HTTPClient.shared.execute(request, timeout: .seconds(10))
            try #require(response.status == .ok)
        }
    }
}

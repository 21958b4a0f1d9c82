import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Uploads that continue after an interruption, and uploads that are unnecessary.
    @Suite(.timeLimit(.minutes(3))) struct AssetResumeTests {
        private static func headers(_ others: [String: String] = [:]) -> [String: String] {
            others.merging(["Upload-Draft-Interop-Version": "6"]) { $1 }
        }

        @Test func anUploadContinuesAfterTheServiceWasKilled() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService(.asset)
                try await stack.startService()
                let client = stack.client()
                try await client.zones("create", "Notes")
                let bytes = randomBytes(3_000_000)
                let begun = try await AssetClient.upload(
                    Array(bytes.prefix(1_000_000)), to: try await client.uploadURL(),
                    headers: Self.headers(["Upload-Complete": "?0", "Upload-Length": "3000000"]))
                #expect(begun.status == 201)
                let location = try #require(begun.headers["location"])
                service.kill()
                try await service.exit(within: .seconds(10))
                try await stack.startService(.asset)
                let head = try await AssetClient.get(location, method: "HEAD", headers: Self.headers())
                #expect(head.status == 204 && head.headers["upload-offset"] == "1000000")
                let wrong = try await AssetClient.upload(
                    [1], to: location, method: "PATCH",
                    headers: Self.headers(["Upload-Complete": "?1", "Upload-Offset": "5"]))
                #expect(wrong.status == 409)
                let done = try await AssetClient.upload(
                    Array(bytes.dropFirst(1_000_000)), to: location, method: "PATCH",
                    headers: Self.headers(["Upload-Complete": "?1", "Upload-Offset": "1000000"]))
                let asset = try #require(done.json["singleFile"], "\(done.status) \(done.json)")
                try await client.save("Notes", "a", ["file": asset])
                #expect(try await client.bytes("Notes", "a") == bytes)
            }
        }

        @Test func theCommandContinuesAfterTheServiceWasKilled() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService(.asset)
                try await stack.startService()
                let client = stack.client()
                try await client.zones("create", "Notes")
                let bytes = randomBytes(60_000_000)
                let source = stack.assetFolder.appending(path: "source").path
                let target = stack.assetFolder.appending(path: "target").path
                #expect(FileManager.default.createFile(atPath: source, contents: Data(bytes)))
                let arguments = [
                    "asset", "put", source, "--zone", "Notes", "--type", "Note", "--name", "a", "--field", "file",
                ]
                let put = try stack.zonda(arguments, as: client)
                try await eventually("some bytes have come") { stack.partialBytes > 0 ? true : nil }
                service.kill()
                try await service.exit(within: .seconds(10))
                let next = try await stack.startService(.asset)
                let exit = try await put.exit(within: .seconds(60))
                #expect(exit == .code(0), "\(put.errorText)")
                #expect(put.errorText.isEmpty)
                #expect(try await next.metric("zonda_asset_uploads_total") == 1)
                // The same user uploads the same bytes again, and nothing is sent.
                _ = try await stack.output(of: ["asset", "put", source], as: client)
                #expect(try await next.metric("zonda_asset_uploads_total") == 1)
                // The bytes that an interrupted download has left are not fetched again, unless they are wrong.
                let get = ["asset", "get", "--zone", "Notes", "--name", "a", "--field", "file", "-o", target]
                for part in [Data(bytes.prefix(59_000_000)), Data(repeating: 0, count: 1000)] {
                    let before = try await next.metric("zonda_asset_downloaded_bytes_total")
                    #expect(FileManager.default.createFile(atPath: target + ".part", contents: part))
                    _ = try await stack.output(of: get, as: client)
                    #expect(FileManager.default.contents(atPath: target) == Data(bytes))
                    let fetched = try await next.metric("zonda_asset_downloaded_bytes_total") - before
                    #expect(part.count == 1000 ? fetched > 50_000_000 : fetched <= 1_000_000)
                }
            }
        }

        @Test func whatAUserHasIsNotSentAgainAndWhatOthersHaveIs() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.asset)
                try await stack.startService()
                let (client, other) = (stack.client(), stack.client())
                try await client.zones("create", "Notes")
                let bytes = randomBytes(50_000)
                let asset = try await client.upload(bytes)
                let token: JSONValue = [
                    "fieldName": "file", "fileChecksum": asset["fileChecksum"] ?? .null, "size": 50_000,
                ]
                // The upload alone proves nothing; its receipt does.
                let before = try await client.ask(.assetsUpload, ["tokens": [token]])
                #expect(before["tokens"]?[0]?["url"] != nil)
                try await client.save("Notes", "a", ["file": asset])
                let mine = try await client.ask(.assetsUpload, ["tokens": [token]])
                let again = try #require(mine["tokens"]?[0]?["singleFile"], "\(mine.body)")
                try await client.save("Notes", "b", ["file": again])
                #expect(try await client.bytes("Notes", "b") == bytes)
                let theirs = try await other.ask(.assetsUpload, ["tokens": [token]])
                let nobodys = try await other.ask(
                    .assetsUpload,
                    [
                        "tokens": [
                            [
                                "fieldName": "file", "fileChecksum": .string(String(repeating: "0a", count: 32)),
                                "size": 1,
                            ]
                        ]
                    ])
                for reply in [theirs, nobodys] {
                    #expect(reply["tokens"]?[0]?.members?.map(\.key) == ["recordName", "fieldName", "url"])
                }
                // Bytes other than those announced are refused.
                let url = try #require(theirs["tokens"]?[0]?["url"]?.string)
                let wrong = try await AssetClient.upload(randomBytes(50_000), to: url)
                #expect(wrong.status == 400 && wrong.json["reasonCode"] == "checksum_mismatch")
            }
        }
    }
}

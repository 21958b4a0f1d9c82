import AMQPClient
import CloudKitWire
import Crypto
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The path of an asset through the asset and record services, from the upload URL to the downloaded bytes.
    @Suite(.sharedServices, .timeLimit(.minutes(3))) struct AssetTests {
        @Test func uploadedBytesComeBackWholeAndInRanges() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            let bytes = randomBytes(700_000)
            let asset = try await client.upload(bytes)
            #expect(asset["size"] == 700_000)
            for key in ["fileChecksum", "receipt", "referenceChecksum", "wrappingKey"] {
                #expect(asset[key]?.string?.isEmpty == false, "\(key)")
            }
            let saved = try await client.save("Notes", "a", ["file": asset])
            #expect(saved.values["file"]?["fileChecksum"] == asset["fileChecksum"])
            #expect(saved.values["file"]?["receipt"] == nil)

            let url = try await client.downloadURL("Notes", "a")
            let whole = try await AssetClient.get(url)
            #expect(whole.status == 200)
            #expect(whole.body == bytes)
            #expect(whole.headers["accept-ranges"] == "bytes")
            #expect(whole.headers["x-content-type-options"] == "nosniff")
            #expect(whole.headers["content-security-policy"] == "sandbox")
            #expect(whole.headers["content-disposition"]?.hasPrefix("attachment") == true)
            #expect(whole.headers["cache-control"]?.hasPrefix("private") == true)

            let part = try await AssetClient.get(url, headers: ["range": "bytes=1000-1999"])
            #expect(part.status == 206)
            #expect(part.body == Array(bytes[1000...1999]))
            #expect(part.headers["content-range"] == "bytes 1000-1999/700000")
            let end = try await AssetClient.get(url, headers: ["range": "bytes=-5"])
            #expect(end.body == Array(bytes.suffix(5)))
            let beyond = try await AssetClient.get(url, headers: ["range": "bytes=700000-"])
            #expect(beyond.status == 416)
            let tag = try #require(whole.headers["etag"])
            let unchanged = try await AssetClient.get(url, headers: ["if-none-match": tag])
            #expect(unchanged.status == 304)
            let head = try await AssetClient.get(url, method: "HEAD")
            #expect(head.status == 200)
            #expect(head.headers["content-length"] == "700000")
        }

        @Test func theSameBytesAreStoredOnceHoweverTheyCame() async throws {
            let stack = try SharedStack.current
            let (client, other) = (stack.client(), stack.client())
            let bytes = randomBytes(50_000)
            for (owner, name) in [(client, "a"), (client, "b"), (other, "c")] {
                try await owner.zones("create", "Notes")
                try await owner.save("Notes", name, ["file": try await owner.upload(bytes)])
            }
            let put = try await client.put(bytes)
            #expect(put.status == 200)
            try await client.save("Notes", "d", ["file": try #require(put["singleFile"])])
            #expect(try await stack.blobRows(of: bytes) == 1)
            let hex = SHA256.hash(data: bytes).map { String(format: "%02x", $0) }.joined()
            #expect(stack.blobFiles.count { $0.hasPrefix(hex) } == 1)
            #expect(try await client.bytes("Notes", "d") == bytes)
            #expect(try await other.bytes("Notes", "c") == bytes)
        }

        @Test func listsOfAssetsKeepTheirOrderAndMayBeSavedAgainAsFetched() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            let contents = [randomBytes(10), randomBytes(20), randomBytes(10)]
            var assets: [JSONValue] = []
            for bytes in contents { assets.append(try await client.upload(bytes)) }
            try await client.save("Notes", "a", ["files": .array(assets)])
            let fetched = try #require(try await client.record("Notes", "a").values["files"]?.array)
            #expect(fetched.map { $0["size"] } == [10, 20, 10])
            // Fetched assets have no receipts, which are not necessary in the same record. One asset is removed, and
            // the other two change places.
            try await client.save("Notes", "a", ["files": .array([fetched[2], fetched[1]])])
            let again = try #require(try await client.record("Notes", "a").values["files"]?.array)
            let urls = again.compactMap { $0["downloadURL"]?.string }
            var bytes: [[UInt8]] = []
            for url in urls { bytes.append(try await AssetClient.get(url).body) }
            #expect(bytes == [contents[2], contents[1]])
        }

        /// The first half of appendix A 16. The other half is
        /// `AssetDeletionTests.contentOfTwoRecordsGoesWithTheSecond`.
        @Test func theServersRecordOfAConflictTellsOfItsAssetsWithoutAddresses() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            let asset = try await client.upload(randomBytes(1000))
            let first = try await client.save("Notes", "a", ["file": asset])
            try await client.save("Notes", "a", ["file": asset, "n": 1])
            let reply = try await client.modify(
                "Notes", .operation("update", "a", ["n": 2], tag: first["recordChangeTag"]?.string))
            let conflict = try #require(reply["records"]?[0])
            #expect(conflict.errorCode == "CONFLICT", "\(conflict)")
            let theirs = conflict["serverRecord"]?["fields"]?["file"]?["value"]
            #expect(theirs?["fileChecksum"] == asset["fileChecksum"], "\(conflict)")
            #expect(theirs?["size"] == 1000)
            #expect(theirs?["downloadURL"] == nil)
        }

        /// If a user opens the address of another user's page, the browser saves it as a file and does not run it.
        @Test(arguments: ["text/html", "image/svg+xml", nil])
        func uploadedPagesDoNotRunAsPagesOfOurs(contentType: String?) async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Pages")
            let page = Array("<html><script>alert(document.cookie)</script></html>".utf8)
            let uploaded = try await AssetClient.upload(
                page, to: try await client.uploadURL(), contentType: contentType)
            try await client.save("Pages", "a", ["file": try #require(uploaded.json["singleFile"])])
            let url = try await client.downloadURL("Pages", "a")
            for query in ["", "?name=page.html"] {
                let reply = try await AssetClient.get(url + query)
                guard reply.status == 200 else { continue }
                #expect(reply.body == page)
                #expect(reply.headers["content-type"] == "application/octet-stream")
                #expect(reply.headers["content-disposition"]?.hasPrefix("attachment") == true)
                #expect(reply.headers["content-security-policy"] == "sandbox")
                #expect(reply.headers["x-content-type-options"] == "nosniff")
                #expect(reply.headers["set-cookie"] == nil)
            }
        }

        @Test func rereferencedAssetsGoIntoOtherRecordsWithoutTheirBytes() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes", "Drafts")
            let contents = [randomBytes(10), randomBytes(20)]
            let assets = [try await client.upload(contents[0]), try await client.upload(contents[1])]
            try await client.save("Notes", "a", ["file": assets[0], "files": .array(assets), "text": "x"])
            let reply = try await client.ask(
                .assetsRereference,
                [
                    "zoneID": .zone("Notes"), "targetZoneID": .zone("Drafts"),
                    "assets": [
                        ["recordName": "a", "fieldName": "file"], ["recordName": "a", "fieldName": "files"],
                    ],
                ])
            #expect(reply.status == 200, "\(reply.body)")
            let fresh = try #require(reply["assets"]?.array)
            #expect(fresh.map { $0["size"] } == [10, 10, 20])
            try await client.save("Drafts", "b", ["file": fresh[2]])
            #expect(try await client.bytes("Drafts", "b") == contents[1])
            for (entry, status, reason) in [
                (["recordName": "a", "fieldName": "text"], 400, "asset_field_empty"),
                (["recordName": "nobody", "fieldName": "file"], 404, "record_not_found"),
            ] as [(JSONValue, Int, String)] {
                let refused = try await client.ask(
                    .assetsRereference,
                    ["zoneID": .zone("Notes"), "assets": [["recordName": "a", "fieldName": "file"], entry]])
                #expect(refused.status == status && refused["reasonCode"] == .string(reason))
            }
            // The answers reveal nothing about another user's records or about a zone that does not exist.
            let other = try await SharedStack.current.client().ask(
                .assetsRereference,
                ["zoneID": .zone("Notes"), "assets": [["recordName": "a", "fieldName": "file"]]])
            #expect(other.status == 404 && other["serverErrorCode"] == "ZONE_NOT_FOUND")
        }

        @Test func emptyFileIsAnAssetToo() async throws {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            try await client.save("Notes", "a", ["file": try await client.upload([])])
            #expect(try await client.bytes("Notes", "a") == [])
        }

        /// Uses a stack of its own, because the files of all uploads are compared.
        @Test func uploadThatIsCutOffLeavesNothing() async throws {
            try await ServiceStack.with { stack in
                for service in [ServiceName.asset, .record] { try await stack.startService(service) }
                let url = try await stack.client().uploadURL()
                try await AssetClient.hangUp(afterSending: 3_000_000, of: 10_000_000, to: url)
                try await eventually("the service forgets the upload") { stack.incomingFiles.isEmpty ? true : nil }
                #expect(stack.blobFiles == [])
                // The URL is still valid.
                let bytes = randomBytes(100)
                #expect(try await AssetClient.upload(bytes, to: url).json["singleFile"]?["size"] == 100)
            }
        }

        @Test func whatIsTooLargeIsRefusedWithTheLimit() async throws {
            let client = try SharedStack.current.client()
            let reply = try await client.put([UInt8](repeating: 1, count: (1 << 20) + 1))
            #expect(reply.status >= 400)
            #expect(reply["limit"] == 1_048_576)
            #expect(reply["actual"] == 1_048_577)
        }
    }
}

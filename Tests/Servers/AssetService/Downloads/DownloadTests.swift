import CloudKitWire
import Foundation
import PostgresClient
import RequestServing
import ServiceMessages
import ServiceRuntime
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage
@testable import BlobStorage

@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct DownloadTests {
    @Test func anAssetIsServedAsAnAttachmentOfItsOwnOrigin() async throws {
        try await HTTPStack.with { http in
            let asset = try await http.stack.upload("0123456789")
            let path = http.downloadPath(asset.content.checksum)
            let reply = try await http.ask("GET", path)
            #expect(reply.status == 200 && reply.text == "0123456789")
            #expect(reply.headers["etag"] == "\"\(asset.content.checksum.hex)\"")
            #expect(reply.headers["content-type"] == "application/octet-stream")
            #expect(reply.headers["content-disposition"] == "attachment")
            #expect(reply.headers["x-content-type-options"] == "nosniff")
            #expect(reply.headers["content-security-policy"] == "sandbox")
            #expect(reply.headers["accept-ranges"] == "bytes")
            #expect(reply.headers["access-control-allow-origin"] == "*")
            let age = reply.headers["cache-control"]?.split(separator: "=").last.flatMap { Int($0) }
            #expect(reply.headers["cache-control"]?.hasPrefix("private, max-age=") == true)
            #expect((50...60).contains(age ?? 0))
            let head = try await http.ask("HEAD", path)
            #expect(head.status == 200 && head.headers["content-length"] == "10")
            #expect(http.stack.host.metrics.value(of: AssetMetrics.downloadedBytes) == 10)
        }
    }

    @Test(arguments: [("$%7Bf%7D", nil), ("%24%7Bf%7D", nil), ("cat%20picture.png", "cat picture.png"), ("", nil)])
    func theURLMayEndWithAnyName(name: String, expected: String?) async throws {
        try await HTTPStack.with { http in
            let asset = try await http.stack.upload("cat")
            let path = http.downloadPath(asset.content.checksum).replacing("${f}", with: name)
            let reply = try await http.ask("GET", path)
            #expect(reply.status == 200 && reply.text == "cat")
            #expect(
                reply.headers["content-disposition"] == "attachment" + (expected.map { "; filename=\"\($0)\"" } ?? ""))
        }
    }

    @Test func rangesAndConditionsAreServed() async throws {
        try await HTTPStack.with { http in
            let asset = try await http.stack.upload("0123456789")
            let path = http.downloadPath(asset.content.checksum)
            let eTag = "\"\(asset.content.checksum.hex)\""
            let part = try await http.ask("GET", path, ["Range": "bytes=2-4"])
            #expect(part.status == 206 && part.text == "234")
            #expect(part.headers["content-range"] == "bytes 2-4/10" && part.headers["content-length"] == "3")
            let end = try await http.ask("GET", path, ["Range": "bytes=-3", "If-Range": eTag])
            #expect(end.status == 206 && end.text == "789")
            let beyond = try await http.ask("GET", path, ["Range": "bytes=10-"])
            #expect(beyond.status == 416 && beyond.headers["content-range"] == "bytes */10" && beyond.text == "")
            let known = try await http.ask("GET", path, ["If-None-Match": eTag])
            #expect(known.status == 304 && known.headers["etag"] == eTag)
            #expect(known.headers["content-length"] ?? "10" == "10")
        }
    }

    @Test func aLargeAssetArrivesWhole() async throws {
        try await HTTPStack.with { http in
            let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) }
            let upload = try await http.ask("PUT", http.uploadPath(), body: bytes)
            #expect(upload.status == 200 && upload.json["singleFile"]?["size"] == 3_000_000)
            let row = try await http.stack.database.query("select encode(sha256, 'hex') from asset.blob")
            let checksum = try #require(AssetChecksum(row[0].string(0)))
            let reply = try await http.ask("GET", http.downloadPath(checksum))
            #expect(reply.body == bytes)
        }
    }

    @Test func anEmptyAssetIsServed() async throws {
        try await HTTPStack.with { http in
            let asset = try await http.stack.upload("")
            let reply = try await http.ask("GET", http.downloadPath(asset.content.checksum))
            #expect(reply.status == 200 && reply.headers["content-length"] == "0")
        }
    }

    @Test func aClientThatDoesNotReadIsCutOff() async throws {
        try await HTTPStack.with(stallLimit: .milliseconds(300)) { http in
            // More than the system buffers for a connection.
            let asset = try await http.stack.upload(String(repeating: "x", count: 32 << 20))
            let conversation = try HTTPConversation(port: http.port)
            await conversation.send(
                HTTPStack.head("GET", http.downloadPath(asset.content.checksum), ["Host": "h"]))
            // This client deliberately does nothing for a while.
            try await Task.sleep(for: .seconds(2))
            let received = try await conversation.rest()
            // Bytes in transit may be lost with the connection.
            #expect(received < 32 << 20)
        }
    }

    @Test func onlyOurGrantsAreTakenWhileTheyAreGood() async throws {
        try await HTTPStack.with { http in
            let checksum = try await http.stack.upload("x").content.checksum
            let forged = try await http.ask("GET", "/download/AAAA/name")
            #expect(forged.status == 403 && forged.json["reasonCode"] == "download_url_invalid")
            let expired = try await http.ask("GET", http.downloadPath(checksum, expiresIn: -1))
            #expect(expired.status == 403 && expired.json["reasonCode"] == "download_url_expired")
            #expect(expired.json["field"] == "url")
            let unknown = try await http.ask("GET", http.downloadPath(BlobTableTests.checksum))
            #expect(unknown.status == 404 && unknown.json["reasonCode"] == "asset_not_found")
        }
    }

    @Test func lostBytesAreNotDelivered() async throws {
        try await HTTPStack.with { http in
            let asset = try await http.stack.upload("x")
            let row = try #require(try await http.stack.row(asset))
            try await http.stack.store.remove(row.key)
            let reply = try await http.ask("GET", http.downloadPath(asset.content.checksum))
            #expect(reply.status == 503 && reply.json["reasonCode"] == "asset_not_available")
            #expect(reply.json["ckErrorCode"] == 35)
            // The answer to HEAD has no body, despite its `Content-Length`.
            let head = try await http.ask("HEAD", http.downloadPath(asset.content.checksum))
            #expect(head.status == 503)
        }
    }
    /// Damage to encrypted bytes is detected: the client gets none of them, and the scrub checks the file immediately.
    @Test(arguments: [0, -1]) func wrongBytesAreNotDeliveredAndFoundByTheScrub(position: Int) async throws {
        try await AssetStack.with { stack in
            let parts = try ReencryptionTests.parts(stack, ["key": 1])
            let asset = try await ReencryptionTests.upload("precious", parts)
            let file = stack.path(try #require(try await stack.row(asset)))
            var bytes = try Data(contentsOf: file)
            bytes[position < 0 ? bytes.count + position : position] ^= 1
            try bytes.write(to: file)
            try await HTTPStack.serve(stack, parts.http) { http in
                let reply = try? await http.ask("GET", http.downloadPath(asset.content.checksum))
                #expect(reply?.text.contains("precious") != true)
            }
            try await parts.scrubber.runOnce()
            #expect(try await stack.row(asset)?.damage?.kind == .corrupt)
        }
    }
}

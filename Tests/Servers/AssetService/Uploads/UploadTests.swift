import AssetTestSupport
import CloudKitWire
import Crypto
import Foundation
import Glibc
import PostgresClient
import RequestServing
import ServiceMessages
import SignedTokens
import TestSupport
import Testing

@testable import AssetService
@testable import AssetStorage

@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct UploadTests {
    /// Returns the bytes that belong to the answer's `singleFile`.
    static func stored(_ reply: HTTPReply, _ http: HTTPStack) async throws -> String? {
        let file = try #require(reply.json["singleFile"])
        let checksum = try #require(file["fileChecksum"]?.string.flatMap { AssetChecksum($0) })
        #expect(file["referenceChecksum"]?.string == checksum.referenceChecksum)
        #expect(file["wrappingKey"]?.string == checksum.wrappingKey)
        let receipt = try #require(
            AssetReceipt(opening: file["receipt"]?.string ?? "", with: http.stack.configuration.receiptKeys))
        #expect(receipt.checksum == checksum && receipt.size == file["size"]?.int)
        #expect(receipt.scope == AssetStack.scope)
        let row = try #require(try await http.stack.table.find(checksum, in: AssetStack.container))
        return try await http.stack.text(row.key)
    }

    @Test(arguments: ["POST", "PUT"], ["image/png", "application/x-www-form-urlencoded", nil])
    func theBodyIsTheFileWhateverItsType(method: String, type: String?) async throws {
        try await HTTPStack.with { http in
            let reply = try await http.ask(
                method, http.uploadPath(), type.map { ["Content-Type": $0] } ?? [:], body: Array("bytes".utf8))
            #expect(reply.status == 200)
            #expect(reply.headers["access-control-allow-origin"] == "*")
            let stored = try await Self.stored(reply, http)
            #expect(stored == "bytes")
        }
    }

    @Test func aFormsFirstFileIsTaken() async throws {
        try await HTTPStack.with { http in
            let body =
                "--b\r\nContent-Disposition: form-data; name=\"files\"; filename=\"file.file\"\r\n\r\nbytes\r\n--b--\r\n"
            let reply = try await http.ask(
                "POST", http.uploadPath(), ["Content-Type": "multipart/form-data; boundary=b"], body: Array(body.utf8))
            let stored = try await Self.stored(reply, http)
            #expect(stored == "bytes")
        }
    }

    @Test func aBodyMayComeInChunks() async throws {
        try await HTTPStack.with { http in
            let conversation = try HTTPConversation(port: http.port)
            await conversation.send(
                HTTPStack.head("POST", http.uploadPath(), ["Host": "h", "Transfer-Encoding": "chunked"]))
            await conversation.send("3\r\nabc\r\n")
            await conversation.send("2\r\nde\r\n0\r\n\r\n")
            let reply = try await conversation.reply()
            let stored = try await Self.stored(reply, http)
            #expect(stored == "abcde")
        }
    }

    @Test func aClientThatExpectsContinueGetsIt() async throws {
        try await HTTPStack.with { http in
            let conversation = try HTTPConversation(port: http.port)
            await conversation.send(
                HTTPStack.head(
                    "POST", http.uploadPath(), ["Host": "h", "Content-Length": "3", "Expect": "100-continue"]))
            let interim = try await conversation.reply()
            #expect(interim.status == 100)
            await conversation.send("abc")
            let reply = try await conversation.reply()
            let stored = try await Self.stored(reply, http)
            #expect(stored == "abc")
        }
    }

    @Test func severalUploadsShareAConnection() async throws {
        try await HTTPStack.with { http in
            let conversation = try HTTPConversation(port: http.port)
            for text in ["one", "two"] {
                await conversation.send(
                    HTTPStack.head("POST", http.uploadPath(), ["Host": "h", "Content-Length": "3"]) + text)
                let reply = try await conversation.reply()
                let stored = try await Self.stored(reply, http)
                #expect(stored == text)
            }
        }
    }

    @Test(arguments: [["Content-Length": "1000"], ["Transfer-Encoding": "chunked"]])
    func anUploadThatIsCutOffLeavesNothing(framing: [String: String]) async throws {
        try await HTTPStack.with { http in
            let conversation = try HTTPConversation(port: http.port)
            await conversation.send(
                HTTPStack.head(
                    "POST", http.uploadPath(), framing.merging(["Host": "h", "Expect": "100-continue"]) { $1 }))
            _ = try await conversation.reply()
            await conversation.send("3\r\nabc\r\n")
            conversation.reset()
            try await http.waitUntilNothingIsIncoming()
            #expect(http.stack.files("blobs") == [])
            let rows = try await http.stack.database.query("select count(*) from asset.blob")
            #expect(rows[0].int64(0) == 0)
        }
    }

    @Test func anUploadThatStallsIsCutOff() async throws {
        try await HTTPStack.with(stallLimit: .milliseconds(200)) { http in
            let conversation = try HTTPConversation(port: http.port)
            await conversation.send(
                HTTPStack.head("POST", http.uploadPath(), ["Host": "h", "Content-Length": "1000"]) + "abc")
            try await conversation.rest()
            try await http.waitUntilNothingIsIncoming()
            #expect(http.stack.files("blobs") == [])
        }
    }

    @Test func connectionsPastTheLimitAreClosedAndPlacesGivenBack() async throws {
        try await HTTPStack.with(["ZONDA_HTTP_MAX_CONNECTIONS": "1"]) { http in
            let head = HTTPStack.head(
                "POST", http.uploadPath(),
                ["Host": "h", "Content-Length": "3", "Expect": "100-continue", "Connection": "close"])
            for _ in 0..<2 {
                // A place becomes free soon after its connection has ended.
                let first = try await within(.seconds(20), "a free place") {
                    while true {
                        try Task.checkCancellation()
                        let conversation = try HTTPConversation(port: http.port)
                        await conversation.send(head)
                        if await (try? conversation.reply())?.status == 100 { return conversation }
                    }
                }
                let second = try HTTPConversation(port: http.port)
                try await second.rest()
                await first.send("abc")
                let reply = try await first.reply()
                #expect(reply.status == 200)
                first.reset()
            }
        }
    }

    @Test func tooLargeIsRefusedBeforeItIsSent() async throws {
        try await HTTPStack.with(["ZONDA_ASSET_MAX_BYTES": "1000"]) { http in
            let conversation = try HTTPConversation(port: http.port)
            await conversation.send(
                HTTPStack.head(
                    "POST", http.uploadPath(), ["Host": "h", "Content-Length": "1001", "Expect": "100-continue"]))
            let reply = try await conversation.reply()
            #expect(reply.status == 413)
            #expect(reply.headers["connection"] == "close")
            #expect(reply.json["reasonCode"] == "asset_too_large" && reply.json["field"] == "photo")
            #expect(reply.json["limit"] == 1000 && reply.json["actual"] == 1001)
            #expect(reply.json["singleFile"] == nil)
        }
    }

    @Test func tooLargeIsRefusedWhileItComes() async throws {
        try await HTTPStack.with(["ZONDA_ASSET_MAX_BYTES": "1000"]) { http in
            let chunk = "1f4\r\n" + String(repeating: "x", count: 500) + "\r\n"
            let conversation = try HTTPConversation(port: http.port)
            await conversation.send(
                HTTPStack.head("POST", http.uploadPath(), ["Host": "h", "Transfer-Encoding": "chunked"]))
            // The client continues to send, but the answer arrives.
            for _ in 0..<100 { await conversation.send(chunk) }
            let reply = try await conversation.reply()
            #expect(reply.status == 413)
            #expect(http.stack.files("incoming") == [])
        }
    }

    @Test func onlyOurTicketsAreTakenWhileTheyAreGood() async throws {
        try await HTTPStack.with { http in
            let forged = try await http.ask("POST", "/upload/AAAA", body: [1])
            #expect(forged.status == 403 && forged.json["field"] == "url")
            #expect(forged.json["reasonCode"] == "upload_url_invalid")
            #expect(forged.json["serverErrorCode"] == "ACCESS_DENIED")
            #expect(forged.json["uuid"]?.string == forged.headers["x-apple-request-uuid"])
            // A grant for a download is not valid for an upload.
            let path = http.downloadPath(BlobTableTests.checksum).split(separator: "/")[1]
            let grant = try await http.ask("POST", "/upload/\(path)", body: [1])
            #expect(grant.json["reasonCode"] == "upload_url_invalid")
            let expired = try await http.ask("POST", http.uploadPath(expiresIn: -1), body: [1])
            #expect(expired.status == 403 && expired.json["field"] == "photo")
            #expect(expired.json["reasonCode"] == "upload_url_expired")
            #expect(http.stack.files("blobs") == [])
        }
    }

    @Test func aBodyThatDribblesIsCutOff() async throws {
        try await HTTPStack.with(["ZONDA_HTTP_MIN_RATE": "1000"], rateWindow: .milliseconds(100)) { http in
            let conversation = try HTTPConversation(port: http.port)
            await conversation.send(
                HTTPStack.head("POST", http.uploadPath(), ["Host": "h", "Content-Length": "1000"]) + "abc")
            try await conversation.rest()
            try await http.waitUntilNothingIsIncoming()
            // A client that only pauses between two requests is not affected.
            let patient = try HTTPConversation(port: http.port)
            for _ in 0..<2 {
                await patient.send(
                    HTTPStack.head("POST", http.uploadPath(), ["Host": "h", "Content-Length": "3"]) + "abc")
                let reply = try await patient.reply()
                #expect(reply.status == 200)
                try await conversation.rest()
            }
        }
    }

    @Test func manyHalfOpenUploadsAreBoundedAndLeaveNothing() async throws {
        try await HTTPStack.with(["ZONDA_HTTP_MAX_CONNECTIONS": "8"], stallLimit: .milliseconds(500)) { http in
            let heads = [
                "POST", HTTPStack.head("POST", http.uploadPath(), ["Host": "h", "Content-Length": "1000"]) + "abc",
            ]
            var conversations: [HTTPConversation] = []
            for number in 0..<200 {
                let conversation = try HTTPConversation(port: http.port)
                await conversation.send(heads[number % 2])
                conversations.append(conversation)
            }
            for conversation in conversations { try await conversation.rest() }
            try await http.waitUntilNothingIsIncoming()
            #expect(http.stack.files("blobs") == [])
            let reply = try await http.ask("POST", http.uploadPath(), body: [1])
            #expect(reply.status == 200)
        }
    }

    /// Uses a file system of two megabytes, if this process may mount one.
    @Test func aDiskThatRunsFullLosesNothing() async throws {
        try await HTTPStack.with { http in
            let kept = try await http.ask("POST", http.uploadPath(), body: Array("kept".utf8))
            for folder in ["incoming", "partial"] {
                let path = http.stack.directory.appending(path: folder).path
                guard mount("tmpfs", path, "tmpfs", 0, "size=2m") == 0 else { return }
                defer { umount2(path, Int32(MNT_DETACH)) }
                let full = try await http.final(
                    "POST", http.uploadPath(),
                    folder == "partial" ? ["Upload-Draft-Interop-Version": "6", "Upload-Complete": "?1"] : [:],
                    body: [UInt8](repeating: 1, count: 4_000_000))
                #expect(full.status == 503 && full.json["reasonCode"] == "asset_store_full")
                #expect(http.stack.files(folder) == [])
            }
            let stored = try await Self.stored(kept, http)
            #expect(stored == "kept")
            let next = try await http.ask("POST", http.uploadPath(), body: Array("next".utf8))
            #expect(next.status == 200)
        }
    }

    @Test func aFullDiskIsReportedAndTheUploadMayBeRepeated() async throws {
        try await HTTPStack.with { http in
            let incoming = http.stack.directory.appending(path: "incoming")
            try FileManager.default.removeItem(at: incoming)
            let reply = try await http.ask("POST", http.uploadPath(), body: [1])
            #expect(reply.status == 503 && reply.headers["retry-after"] == "10")
            #expect(reply.json["reasonCode"] == "asset_store_in_trouble")
        }
    }

    @Test func pagesOfAnyOriginMayUpload() async throws {
        try await HTTPStack.with { http in
            let reply = try await http.ask(
                "OPTIONS", http.uploadPath(),
                ["Origin": "https://example.org", "Access-Control-Request-Headers": "content-type"])
            #expect(reply.status == 200)
            #expect(reply.headers["access-control-allow-origin"] == "*")
            #expect(reply.headers["access-control-allow-headers"] == "content-type")
            #expect(reply.headers["access-control-allow-methods"]?.contains("POST") == true)
            let method = try await http.ask("DELETE", http.uploadPath())
            #expect(method.status == 405 && method.headers["allow"] == "POST,PUT,OPTIONS")
            let path = try await http.ask("GET", "/elsewhere")
            #expect(path.status == 404 && path.json["serverErrorCode"] == "NOT_FOUND")
        }
    }
}

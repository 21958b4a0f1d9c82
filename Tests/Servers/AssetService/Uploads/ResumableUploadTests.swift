import CloudKitWire
import Crypto
import Foundation
import RequestServing
import ServiceMessages
import SignedTokens
import TestSupport
import Testing

@testable import AssetService
@testable import BlobStorage

/// Uploads that take several requests.
@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct ResumableUploadTests {
    static let bytes = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

    /// Returns the headers of a request of the protocol.
    static func headers(complete: Bool?, offset: Int? = nil, _ others: [String: String] = [:]) -> [String: String] {
        var headers = others.merging(["Upload-Draft-Interop-Version": "6"]) { $1 }
        if let complete { headers["Upload-Complete"] = complete ? "?1" : "?0" }
        if let offset { headers["Upload-Offset"] = String(offset) }
        return headers
    }

    /// Returns the path of the URL that an upload received.
    static func path(_ reply: HTTPReply) throws -> String {
        let location = try #require(reply.headers["location"])
        return String(location[try #require(location.range(of: "/upload/")).lowerBound...])
    }

    /// Begins an upload with some bytes.
    static func begin(
        _ http: HTTPStack, _ bytes: String = "", _ others: [String: String] = [:]
    ) async throws -> String {
        let reply = try await http.final(
            "POST", http.uploadPath(), headers(complete: false, others), body: Array(bytes.utf8))
        try #require(reply.status == 201, "\(reply.text)")
        #expect(reply.headers["upload-offset"] == String(bytes.utf8.count))
        #expect(reply.headers["upload-complete"] == "?0")
        return try path(reply)
    }

    static func offset(_ http: HTTPStack, _ path: String) async throws -> Int? {
        let reply = try await http.ask("HEAD", path, headers(complete: nil))
        #expect(reply.status == 204 && reply.headers["cache-control"] == "no-store")
        return reply.headers["upload-offset"].flatMap { Int($0) }
    }

    @Test func anInterruptedUploadContinuesWhereItEndedAlsoAtAnotherInstance() async throws {
        try await HTTPStack.with { http in
            let first = try HTTPConversation(port: http.port)
            await first.send(
                HTTPStack.head(
                    "POST", http.uploadPath(), Self.headers(complete: true, ["Host": "h", "Content-Length": "1000000"]))
            )
            let interim = try await first.reply()
            #expect(interim.status == 104 && interim.headers["upload-draft-interop-version"] == "6")
            #expect(interim.headers["upload-limit"] == "max-size=262144000, max-age=3600")
            let path = try Self.path(interim)
            await first.send(Array(Self.bytes.prefix(600_000)))
            try await http.waitUntilSomeCame()
            first.reset()
            // The upload continues in another process with the same store, as after a restart.
            try await http.withAnotherInstance { other in
                let offset = try #require(
                    try await within(.seconds(20), "the end of the first request") {
                        while true {
                            try Task.checkCancellation()
                            let reply = try await other.ask("HEAD", path, Self.headers(complete: nil))
                            if reply.status == 204 { return reply.headers["upload-offset"].flatMap { Int($0) } }
                            guard reply.status == 503 else { return nil as Int? }
                        }
                    })
                #expect((1...600_000).contains(offset))
                let wrong = try await other.ask(
                    "PATCH", path, Self.headers(complete: true, offset: offset - 1), body: [1])
                #expect(wrong.status == 409 && wrong.json["reasonCode"] == "upload_offset_mismatch")
                #expect(wrong.headers["upload-offset"] == String(offset) && wrong.headers["upload-complete"] == "?0")
                let reply = try await other.ask(
                    "PATCH", path, Self.headers(complete: true, offset: offset),
                    body: Array(Self.bytes.dropFirst(offset)))
                #expect(reply.status == 200 && reply.headers["upload-complete"] == "?1")
                let file = try #require(reply.json["singleFile"])
                #expect(file["size"] == 1_000_000)
                let checksum = file["fileChecksum"]?.string.flatMap { AssetChecksum($0) }
                #expect(checksum?.bytes == Array(SHA256.hash(data: Self.bytes)))
            }
            #expect(http.stack.files("partial").allSatisfy { $0.hasSuffix(".ended") })
        }
    }

    @Test func aLaterRequestEndsAnEarlierOneThatStillHangs() async throws {
        try await HTTPStack.with { http in
            let first = try HTTPConversation(port: http.port)
            await first.send(
                HTTPStack.head(
                    "POST", http.uploadPath(), Self.headers(complete: true, ["Host": "h", "Content-Length": "1000000"]))
            )
            let path = try Self.path(try await first.reply())
            await first.send(Array(Self.bytes.prefix(600_000)))
            try await http.waitUntilSomeCame()
            let offset = try await Self.offset(http, path)
            #expect((1...600_000).contains(offset ?? 0))
            try await first.rest()
        }
    }

    @Test func partsMakeAWholeAndItsAnswerCanBeAskedForAgain() async throws {
        try await HTTPStack.with { http in
            let path = try await Self.begin(http, "abc")
            let second = try await http.ask(
                "PATCH", path, Self.headers(complete: false, offset: 3), body: Array("def".utf8))
            #expect(second.status == 201 && second.headers["upload-offset"] == "6")
            let last = try await http.ask(
                "PATCH", path, Self.headers(complete: true, offset: 6), body: Array("g".utf8))
            let stored = try await UploadTests.stored(last, http)
            #expect(stored == "abcdefg")
            let head = try await http.ask("HEAD", path, Self.headers(complete: nil))
            #expect(head.headers["upload-complete"] == "?1" && head.headers["upload-offset"] == "7")
            let again = try await http.ask("PATCH", path, Self.headers(complete: true, offset: 7))
            let storedAgain = try await UploadTests.stored(again, http)
            #expect(storedAgain == "abcdefg")
            let more = try await http.ask(
                "PATCH", path, Self.headers(complete: true, offset: 7), body: Array("h".utf8))
            #expect(more.status == 409 && more.headers["upload-complete"] == "?1")
        }
    }

    @Test func olderClientsSpeakTheThirdVersion() async throws {
        try await HTTPStack.with { http in
            let begun = try await http.final(
                "POST", http.uploadPath(), ["Upload-Draft-Interop-Version": "3", "Upload-Incomplete": "?1"],
                body: Array("abc".utf8))
            #expect(begun.status == 201 && begun.headers["upload-incomplete"] == "?1")
            let reply = try await http.ask(
                "PATCH", try Self.path(begun),
                ["Upload-Draft-Interop-Version": "3", "Upload-Incomplete": "?0", "Upload-Offset": "3"],
                body: Array("d".utf8))
            #expect(reply.headers["upload-incomplete"] == "?0")
            let stored = try await UploadTests.stored(reply, http)
            #expect(stored == "abcd")
        }
    }

    @Test func aCancelledUploadLeavesNothing() async throws {
        try await HTTPStack.with { http in
            let path = try await Self.begin(http, "abc")
            let reply = try await http.ask("DELETE", path, Self.headers(complete: nil))
            #expect(reply.status == 204)
            #expect(http.stack.files("partial") == [])
            for method in ["HEAD", "DELETE", "PATCH"] {
                let gone = try await http.ask(method, path, Self.headers(complete: nil, offset: 3))
                #expect(gone.status == 404, "\(method)")
            }
        }
    }

    @Test func whatIsNotResumedInTimeIsForgotten() async throws {
        try await HTTPStack.with { http in
            let path = try await Self.begin(http, "abc")
            var sweeper = http.stack.parts.sweeper
            try await sweeper.runOnce()
            let offset = try await Self.offset(http, path)
            #expect(offset == 3)
            sweeper.resumeLife = .seconds(-1)
            try await sweeper.runOnce()
            #expect(http.stack.files("partial") == [])
            let gone = try await http.ask("PATCH", path, Self.headers(complete: true, offset: 3), body: [1])
            #expect(gone.status == 404 && gone.json["reasonCode"] == "upload_not_found")
        }
    }

    @Test func onlyItsOwnTicketReachesAnUpload() async throws {
        try await HTTPStack.with { http in
            let path = try await Self.begin(http, "abc")
            let id = path.split(separator: "/")[2]
            let ticket = AssetUploadTicket(
                scope: AssetStack.scope, fieldName: "other", expiresAt: SystemClock.milliseconds() + 60_000
            ).sealed(with: http.stack.configuration.uploadKeys)
            let other = try await http.ask("HEAD", "/upload/\(ticket)/\(id)", Self.headers(complete: nil))
            #expect(other.status == 404)
            let forged = try await http.ask("DELETE", "/upload/AAAA/\(id)", Self.headers(complete: nil))
            #expect(forged.status == 403)
            for name in ["..%2F..%2Fx", "x", "\(id)x", String(id.dropLast()), "\(UUID())..", id.uppercased()] {
                let reply = try await http.ask(
                    "PATCH", "/upload/\(path.split(separator: "/")[1])/\(name)", Self.headers(complete: true, offset: 3)
                )
                #expect(reply.status == 404, "\(name)")
            }
            let offset = try await Self.offset(http, path)
            #expect(offset == 3)
        }
    }

    @Test func anUploadMayOutliveItsTicket() async throws {
        try await HTTPStack.with { http in
            let conversation = try HTTPConversation(port: http.port)
            // The address need only be valid when the upload begins.
            let ticket = AssetUploadTicket(
                scope: AssetStack.scope, fieldName: "photo", expiresAt: SystemClock.milliseconds() + 1500)
            let path = "/upload/\(ticket.sealed(with: http.stack.configuration.uploadKeys))"
            await conversation.send(
                HTTPStack.head("POST", path, Self.headers(complete: false, ["Host": "h", "Content-Length": "0"])))
            _ = try await conversation.reply()
            let begun = try await conversation.reply()
            #expect(begun.status == 201)
            try await within(.seconds(20), "the ticket's end") {
                while ticket.expiresAt > SystemClock.milliseconds() { await Task.yield() }
            }
            let reply = try await http.ask(
                "PATCH", try Self.path(begun), Self.headers(complete: true, offset: 0), body: Array("abc".utf8))
            #expect(reply.status == 200)
        }
    }

    @Test func announcedLengthsMustMatch() async throws {
        try await HTTPStack.with(["ZONDA_ASSET_MAX_BYTES": "1000"]) { http in
            let path = try await Self.begin(http, "abc", ["Upload-Length": "5"])
            for (complete, body) in [(true, "d"), (false, "defg")] {
                let reply = try await http.ask(
                    "PATCH", path, Self.headers(complete: complete, offset: 3), body: Array(body.utf8))
                #expect(reply.status == 400 && reply.json["reasonCode"] == "upload_length_mismatch")
            }
            let offset = try await Self.offset(http, path)
            #expect(offset == 3)
            let large = try await http.ask(
                "POST", http.uploadPath(), Self.headers(complete: false, ["Upload-Length": "1001"]))
            #expect(large.status == 413)
            let other = try await Self.begin(http, "abc")
            let more = try await http.ask(
                "PATCH", other, Self.headers(complete: true, offset: 3), body: [UInt8](repeating: 1, count: 998))
            #expect(more.status == 413)
            let odd = try await http.ask("POST", http.uploadPath(), Self.headers(complete: false, offset: 7))
            #expect(odd.status == 400 && odd.json["field"] == "upload-offset")
            let unknown = try await http.ask(
                "POST", http.uploadPath(), ["Upload-Draft-Interop-Version": "99", "Upload-Complete": "?0"], body: [1])
            #expect(unknown.status == 400 && unknown.json["field"] == "upload-draft-interop-version")
        }
    }

    @Test func noMoreWaitThanMayAndOthersAreUploadedInOneGo() async throws {
        try await HTTPStack.with(["ZONDA_ASSET_MAX_RESUMABLE": "1"]) { http in
            _ = try await Self.begin(http, "abc")
            let part = try await http.ask("POST", http.uploadPath(), Self.headers(complete: false), body: [1])
            #expect(part.status == 503 && part.json["reasonCode"] == "too_many_uploads")
            // There is no interim answer.
            let whole = try await http.ask("POST", http.uploadPath(), Self.headers(complete: true), body: [1])
            #expect(whole.status == 200 && whole.headers["location"] == nil)
        }
    }

    @Test func whatHasEndedTakesNoPlace() async throws {
        try await HTTPStack.with(["ZONDA_ASSET_MAX_RESUMABLE": "2"]) { http in
            for byte in 0..<4 as Range<UInt8> {
                let whole = try await http.final(
                    "POST", http.uploadPath(), Self.headers(complete: true), body: [byte])
                #expect(whole.status == 200 && whole.headers["location"] != nil)
            }
            _ = try await Self.begin(http, "abc")
        }
    }

    @Test func oneDatabaseTakesNotAllPlaces() async throws {
        let settings = ["ZONDA_ASSET_MAX_RESUMABLE": "3", "ZONDA_ASSET_MAX_RESUMABLE_PER_USER": "1"]
        try await HTTPStack.with(settings) { http in
            _ = try await Self.begin(http, "abc")
            // The same holds for another ticket.
            let path = http.uploadPath(expiresIn: 70)
            let part = try await http.ask("POST", path, Self.headers(complete: false), body: [1])
            #expect(part.status == 503 && part.json["reasonCode"] == "too_many_uploads" && part.json["limit"] == 1)
            var other = AssetStack.scope
            other.owner = "_ffffffffffffffffffffffffffffffff"
            let begun = try await http.final(
                "POST", http.uploadPath(to: other), Self.headers(complete: false), body: [1])
            #expect(begun.status == 201)
        }
    }

    @Test func aWrongPartIsForgottenAndAWrongWholeLeavesNothing() async throws {
        try await HTTPStack.with { http in
            let digest = "sha-256=:\(Data(SHA256.hash(data: Data("abcdef".utf8))).base64EncodedString()):"
            let path = try await Self.begin(http, "abc", ["Repr-Digest": digest])
            let wrong = try await http.ask(
                "PATCH", path, Self.headers(complete: false, offset: 3, ["Content-Digest": digest]),
                body: Array("xyz".utf8))
            #expect(wrong.status == 400 && wrong.json["reasonCode"] == "checksum_mismatch")
            let offset = try await Self.offset(http, path)
            #expect(offset == 3)
            let whole = try await http.ask(
                "PATCH", path, Self.headers(complete: true, offset: 3), body: Array("xyz".utf8))
            #expect(whole.status == 400 && whole.json["reasonCode"] == "checksum_mismatch")
            #expect(http.stack.files("partial") == [] && http.stack.files("blobs") == [])
        }
    }
}

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
struct ContentDigestTests {
    @Test(arguments: [
        (["Content-Digest": "sha-256=:AAAA:"], "upload_header_invalid"),
        (["Repr-Digest": "sha-256=:\(Data(repeating: 1, count: 32).base64EncodedString()):"], "checksum_mismatch"),
        (["Content-Digest": "sha-256=:\(Data(repeating: 1, count: 32).base64EncodedString()):"], "checksum_mismatch"),
        (["Content-MD5": Data(repeating: 1, count: 16).base64EncodedString()], "checksum_mismatch"),
        (["Content-MD5": "x"], "upload_header_invalid"),
    ])
    func bytesThatDifferFromTheAnnouncedDigestLeaveNothing(headers: [String: String], reason: String) async throws {
        try await HTTPStack.with { http in
            let reply = try await http.ask("POST", http.uploadPath(), headers, body: Array("abc".utf8))
            #expect(reply.status == 400 && reply.json["reasonCode"]?.string == reason)
            #expect(http.stack.files("incoming") == [] && http.stack.files("blobs") == [])
        }
    }

    @Test func theRightDigestsAreTaken() async throws {
        try await HTTPStack.with { http in
            let sha = "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:"
            let reply = try await http.ask(
                "POST", http.uploadPath(),
                [
                    "Repr-Digest": "unixsum=30637, \(sha)", "Content-Digest": sha,
                    "Content-MD5": "kAFQmDzST7DWlj99KOF/cg==",
                ], body: Array("abc".utf8))
            let stored = try await UploadTests.stored(reply, http)
            #expect(stored == "abc")
        }
    }

    @Test func aTicketForOneContentTakesNoOther() async throws {
        try await HTTPStack.with { http in
            let right = AssetChecksum(bytes: Array(SHA256.hash(data: Data("abc".utf8))))
            for (body, status, reason) in [
                ("abc", 200, nil), ("abd", 400, "checksum_mismatch"), ("abcd", 400, "upload_length_mismatch"),
            ] as [(String, Int, JSONValue?)] {
                let ticket = AssetUploadTicket(
                    scope: AssetStack.scope, fieldName: "photo", expiresAt: SystemClock.milliseconds() + 60_000,
                    content: .init(checksum: try #require(right), size: 3))
                let path = "/upload/\(ticket.sealed(with: http.stack.configuration.uploadKeys))"
                let reply = try await http.ask("POST", path, body: Array(body.utf8))
                #expect(reply.status == status && reply.json["reasonCode"] == reason)
            }
            #expect(http.stack.files("blobs").count == 1)
        }
    }
}

import AMQPClient
import CloudKitWire
import GatewayTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Compressed bodies of requests and answers.
@Suite(.timeLimit(.minutes(5))) struct CompressionTests {
    @Test func aCompressedBodyIsInflatedWithinTheLimit() async throws {
        try await GatewayFront.with { front in
            let small = Self.gzip(#"{"operations":[]}"#)
            let reply = try await front.ask("POST", GatewayFront.modify, ["Content-Encoding": "gzip"], body: small)
            #expect(reply.status == 200)
            #expect(front.services.asked.first?.body == Array(#"{"operations":[]}"#.utf8))
            // 4 KiB that decompress to 4 MiB.
            let bomb = try await front.ask(
                "POST", GatewayFront.modify, ["Content-Encoding": "gzip"], body: Self.bomb)
            #expect(bomb.status == 413)
            #expect(try JSONValue(parsing: bomb.body)["field"]?.string == "Content-Encoding")
            let broken = try await front.ask(
                "POST", GatewayFront.modify, ["Content-Encoding": "gzip"], body: Array("{}nonsense".utf8))
            #expect(broken.status == 400)
            let cut = try await front.ask(
                "POST", GatewayFront.modify, ["Content-Encoding": "gzip"], body: small.dropLast(9))
            #expect(cut.status == 400)
            let unknown = try await front.ask("POST", GatewayFront.modify, ["Content-Encoding": "br"], body: small)
            #expect(unknown.status == 400)
            #expect(front.services.asked.count == 1)
        }
    }

    @Test func longAnswersAreCompressedForClientsThatAcceptIt() async throws {
        try await GatewayFront.with { front in
            let body = #"{"records":["# + (0..<500).map(String.init).joined(separator: ",") + "]}"
            front.services.answer.withLock { $0 = { _ in (200, body) } }
            for accept in ["gzip", "gzip, deflate, br", "*", "deflate, gzip;q=0.5"] {
                let reply = try await front.ask("POST", GatewayFront.modify, ["Accept-Encoding": accept])
                #expect(reply.headers["content-encoding"] == "gzip")
                #expect(reply.body.starts(with: [0x1F, 0x8B]))
                #expect(reply.body.count < body.utf8.count)
            }
            for accept in ["identity", "gzip;q=0", "br", "*;q=0"] {
                let reply = try await front.ask("POST", GatewayFront.modify, ["Accept-Encoding": accept])
                #expect(reply.headers["content-encoding"] == nil)
                #expect(reply.text == body)
            }
            let page = try await front.ask("GET", "/signin", ["Accept-Encoding": "gzip"])
            #expect(page.headers["content-encoding"] == nil)
        }
    }

    @Test func aVeryLongAnswerArrivesComplete() async throws {
        try await GatewayFront.with { front in
            let body = #"{"records":[""# + String(repeating: "a", count: 3_000_000) + #""]}"#
            front.services.answer.withLock { $0 = { _ in (200, body) } }
            #expect(try await front.ask("POST", GatewayFront.modify).text == body)
            let compressed = try await front.ask("POST", GatewayFront.modify, ["Accept-Encoding": "gzip"])
            #expect(compressed.headers["content-encoding"] == "gzip")
            #expect(compressed.body.starts(with: [0x1F, 0x8B]))
            // A gzip member ends with the length of its content.
            let length = compressed.body.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            #expect(length == body.utf8.count)
        }
    }

    /// Returns a gzip member that stores the text uncompressed.
    private static func gzip(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        func little(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.littleEndian) { Array($0) } }
        let length = Array(little(UInt32(bytes.count)).prefix(2))
        return [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF, 1] + length + length.map { ~$0 } + bytes + little(crc32(bytes))
            + little(UInt32(bytes.count))
    }

    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in
            (0..<8).reduce(crc ^ UInt32(byte)) { crc, _ in crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
    }

    /// Four megabytes of zeros, compressed by gzip: nearly all of it is the code for 258 more zeros.
    private static let bomb: [UInt8] =
        [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xED, 0xC1, 0x01, 0x01, 0x00, 0x00, 0x00, 0x82,
            0x20, 0xFF, 0xAF, 0x6E, 0x48, 0x40, 0x01,
        ]
        + [UInt8](repeating: 0, count: 4063)
        + [0x7C, 0x1B, 0x6A, 0x40, 0x47, 0x11, 0x00, 0x00, 0x40, 0x00]
}

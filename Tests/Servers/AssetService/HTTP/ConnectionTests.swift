import AssetTestSupport
import HTTPServing
import RequestServing
import ServiceMessages
import ServiceRuntime
import TestSupport
import Testing

@testable import AssetService

/// Clients that keep connections open. Each address gets its share, and other clients are served.
@Suite(.enabled(if: TestEnvironment.current != nil, "\(TestEnvironment.absence)"), .timeLimit(.minutes(2)))
struct ConnectionTests {
    private static func closed(_ reason: ConnectionMetrics.Closing, _ http: HTTPStack) -> Double {
        http.stack.host.metrics.value(of: ConnectionMetrics.closed, ["reason": reason.rawValue])
    }

    /// Starts an upload. The service waits for its bytes.
    private static func upload(_ http: HTTPStack, from address: String) async throws -> HTTPConversation {
        let conversation = try HTTPConversation(port: http.port, from: address)
        await conversation.send(
            HTTPStack.head(
                "POST", http.uploadPath(), ["Host": "h", "Content-Length": "3", "Expect": "100-continue"]))
        #expect(try await conversation.reply().status == 100)
        return conversation
    }

    @Test func oneAddressCannotTakeAllPlaces() async throws {
        let settings = ["ZONDA_HTTP_MAX_CONNECTIONS": "4", "ZONDA_HTTP_MAX_CONNECTIONS_PER_ADDRESS": "2"]
        try await HTTPStack.with(settings) { http in
            var uploads: [HTTPConversation] = []
            for _ in 0..<2 { uploads.append(try await Self.upload(http, from: "127.0.0.2")) }
            for _ in 0..<10 { try await HTTPConversation(port: http.port, from: "127.0.0.2").rest() }
            #expect(Self.closed(.address, http) == 10)
            let other = try await Self.upload(http, from: "127.0.0.1")
            for upload in uploads + [other] {
                await upload.send("abc")
                #expect(try await upload.reply().status == 200)
            }
        }
    }

    @Test func anIdleConnectionMakesRoom() async throws {
        let settings = ["ZONDA_HTTP_MAX_CONNECTIONS": "3", "ZONDA_HTTP_MAX_CONNECTIONS_PER_ADDRESS": "2"]
        try await HTTPStack.with(settings) { http in
            let path = http.downloadPath(try await http.stack.upload("bytes").content.checksum)
            let get = HTTPStack.head("GET", path, ["Host": "h"])
            let (first, second) = (
                try HTTPConversation(port: http.port, from: "127.0.0.2"),
                try HTTPConversation(port: http.port, from: "127.0.0.2")
            )
            for conversation in [second, first, second] {
                await conversation.send(get)
                #expect(try await conversation.reply().text == "bytes")
            }
            // One more connection from the same address, and then one more than permitted.
            let third = try HTTPConversation(port: http.port, from: "127.0.0.2")
            await third.send(get)
            #expect(try await third.reply().text == "bytes")
            try await first.rest()
            var others: [HTTPConversation] = []
            for address in ["127.0.0.1", "127.0.0.3"] {
                let other = try HTTPConversation(port: http.port, from: address)
                await other.send(get)
                #expect(try await other.reply().text == "bytes")
                others.append(other)
            }
            // This address had two connections, more than any other.
            try await second.rest()
            #expect(Self.closed(.replaced, http) == 2)
            #expect(Self.closed(.full, http) == 0 && Self.closed(.address, http) == 0)
        }
    }

    @Test func aDownloadIsTakenAtTheLeastRateOrCutOff() async throws {
        try await HTTPStack.with(["ZONDA_HTTP_MIN_RATE": "1000000"], rateWindow: .milliseconds(300)) { http in
            // More than the system buffers for a connection.
            let asset = try await http.stack.upload(String(repeating: "x", count: 32 << 20))
            let get = HTTPStack.head("GET", http.downloadPath(asset.content.checksum), ["Host": "h"])
            let slow = try HTTPConversation(port: http.port)
            await slow.send(get)
            try await within(.seconds(20), "the slow reader's end") {
                // The client reads a byte now and then. The server does not signal that it has closed the connection,
                // but counts it.
                while Self.closed(.slowAnswer, http) == 0 {
                    try Task.checkCancellation()
                    await slow.take(1)
                }
            }
            #expect(try await slow.rest() < 32 << 20)
            let honest = try HTTPConversation(port: http.port)
            await honest.send(get)
            #expect(try await honest.reply().body.count == 32 << 20)
        }
    }
}

import AMQPClient
import CloudKitModel
import CloudKitWire
import GatewayTestSupport
import Hummingbird
import RequestServing
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Invalid, slow and departed clients: each is answered as far as possible, and its connection is closed in time.
@Suite(.timeLimit(.minutes(5))) struct ConnectionTests {
    /// The gateway lets each client send for five seconds after the answer, so the clients wait concurrently.
    @Test func bytesThatAreNotHTTPAreAnsweredWithAnError() async throws {
        let texts = [
            "\r\n\r\nxyz\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "G\u{1}T / HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nA : b\r\n\r\n",
            "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 70_000) + "\r\n\r\n",
            "GET / HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 200) + "\r\n",
            "GET /" + String(repeating: "a", count: 400_000),
        ]
        try await GatewayFront.with { front in
            try await withThrowingDiscardingTaskGroup { group in
                for text in texts { group.addTask { try await Self.isRefused(text, by: front) } }
            }
        }
    }

    private static func isRefused(_ text: String, by front: GatewayFront) async throws {
        let comment = Comment(rawValue: String(text.prefix(60)))
        let conversation = try HTTPConversation(port: front.port)
        await conversation.send(text)
        let reply = try await conversation.reply()
        #expect(reply.status == 400, comment)
        let error = try JSONValue(parsing: reply.body)
        #expect(error["serverErrorCode"]?.string == "BAD_REQUEST", comment)
        #expect(error["uuid"]?.string == reply.headers["x-apple-request-uuid"], comment)
        try await conversation.rest()
    }

    @Test func invalidBytesAfterRequestsAreAnsweredAfterThem() async throws {
        try await GatewayFront.with { front in
            let conversation = try HTTPConversation(port: front.port)
            let request = GatewayFront.request("GET", "/database/1/c/development/private/zones/list")
            await conversation.send(request + request + Array("nonsense\r\n\r\n".utf8))
            #expect(try await conversation.reply().status == 200)
            #expect(try await conversation.reply().status == 200)
            #expect(try await conversation.reply().status == 400)
            try await conversation.rest()
        }
    }

    @Test func aStalledConnectionIsClosed() async throws {
        var setup = GatewayFront.Setup()
        setup.stallLimit = .milliseconds(300)
        try await GatewayFront.with(setup) { front in
            for text in ["", "GET / HT", "POST \(GatewayFront.modify) HTTP/1.1\r\nContent-Length: 5\r\n\r\n{"] {
                let conversation = try HTTPConversation(port: front.port)
                await conversation.send(text)
                try await conversation.rest()
            }
        }
    }

    @Test func aClientThatWaitsForItsAnswerIsNotIdle() async throws {
        var setup = GatewayFront.Setup()
        setup.stallLimit = .milliseconds(200)
        setup.courier = { _, _, _ in
            try await Task.sleep(for: .milliseconds(900))
            return Response(status: .ok)
        }
        try await GatewayFront.with(setup) { front in
            let reply = try await front.ask("GET", "/courier?tok=x")
            #expect(reply.status == 200)
        }
    }

    @Test func aRequestMustArriveInTime() async throws {
        var setup = GatewayFront.Setup()
        setup.sendingTime = .milliseconds(600)
        // Longer than the test takes, so that only the time for the request can end the connection.
        setup.stallLimit = .seconds(3600)
        try await GatewayFront.with(setup) { front in
            let conversation = try HTTPConversation(port: front.port)
            await conversation.send("POST \(GatewayFront.modify) HTTP/1.1\r\nContent-Length: 1000\r\n\r\n")
            for _ in 0..<12 {
                await conversation.send(" ")
                try await Task.sleep(for: .milliseconds(100))
            }
            try await conversation.rest()
        }
    }

    /// Clients that prefer HTTP/2 request an upgrade in their first request, and send the next one regardless of the
    /// answer.
    @Test(arguments: [
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n", "Upgrade: TLS/1.3\r\n",
    ])
    func anUpgradeIsNotGrantedAndTheConnectionCloses(fields: String) async throws {
        try await GatewayFront.with { front in
            let conversation = try HTTPConversation(port: front.port)
            await conversation.send("GET /nowhere HTTP/1.1\r\n\(fields)\r\n")
            let reply = try await conversation.reply()
            #expect(reply.status == 404)
            #expect(reply.headers["connection"] == "close")
            try await conversation.rest()
        }
    }

    @Test func aRequestWhoseWorkNeverEndsIsAnsweredInTime() async throws {
        var setup = GatewayFront.Setup()
        setup.answerTime = .milliseconds(300)
        // Like a statement of a database that does not respond, the work does not stop when it is cancelled.
        let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
        defer { for continuation in waiting.withLock({ $0 }) { continuation.resume() } }
        @Sendable func blockForever() async -> CancellationError {
            await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
            return CancellationError()
        }
        setup.authenticate = { _, _ in throw await blockForever() }
        setup.signIn = { _ in throw await blockForever() }
        try await GatewayFront.with(setup) { front in
            let reply = try await front.ask("POST", GatewayFront.modify)
            #expect(reply.status == 503)
            let error = try JSONValue(parsing: reply.body)
            #expect(error["serverErrorCode"]?.string == "TRY_AGAIN_LATER")
            #expect(reply.headers["retry-after"] == error["retryAfter"]?.int.map { "\($0)" })
            // Sign-in paths answer with a page.
            let page = try await front.ask("GET", "/signin?t=x")
            #expect(page.status == 503)
            #expect(page.headers["content-type"] == "text/html; charset=UTF-8")
        }
    }

    @Test func theWorkForADisconnectedClientIsCancelled() async throws {
        let (stopped, stop) = AsyncStream.makeStream(of: Void.self)
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let (never, _) = AsyncStream.makeStream(of: Void.self)
        try await GatewayFront.with { front in
            front.services.answer.withLock { answer in
                answer = { _ in
                    begin.yield()
                    // Until it is cancelled.
                    for await _ in never {}
                    if Task.isCancelled { stop.yield() }
                    throw CancellationError()
                }
            }
            let conversation = try HTTPConversation(port: front.port)
            await conversation.send(GatewayFront.request("POST", GatewayFront.modify))
            for await _ in begun { break }
            conversation.reset()
            for await _ in stopped { break }
        }
    }

    @Test func answersOverHTTPSRequireHTTPS() async throws {
        try await GatewayFront.with { front in
            let answer = try await front.ask("GET", "/nowhere")
            #expect(answer.headers["strict-transport-security"] == nil)
        }
        var setup = GatewayFront.Setup()
        setup.isSecure = true
        try await GatewayFront.with(setup) { front in
            let header = try await front.ask("GET", "/nowhere").headers["strict-transport-security"]
            #expect(header == "max-age=31536000")
        }
    }

    @Test func anAbsoluteTargetIsReducedToItsPath() async throws {
        try await GatewayFront.with { front in
            let path = "/database/1/c/development/private/zones/list"
            let absolute = try await front.ask("GET", "http://zonda.example" + path)
            #expect(absolute.status == 200)
            let any = try await front.ask("OPTIONS", "*")
            #expect(any.status == 200)
        }
    }
}

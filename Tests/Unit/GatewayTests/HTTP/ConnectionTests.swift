import AMQPClient
import CloudKitModel
import CloudKitWire
import HTTPServing
import Hummingbird
import RequestServing
import Synchronization
import TestSupport
import Testing

@testable import Gateway

/// Clients that behave badly: each is answered as far as that can be, and costs what it may and no more.
@Suite(.timeLimit(.minutes(5))) struct ConnectionTests {
    @Test(arguments: [
        "\r\n\r\nxyz\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "G\u{1}T / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nA : b\r\n\r\n",
        "GET / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "GET / HTTP/1.1\r\nA: " + String(repeating: "a", count: 70_000) + "\r\n\r\n",
        "GET / HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 200) + "\r\n",
        "GET /" + String(repeating: "a", count: 400_000),
    ])
    func whatIsNotHTTPIsAnsweredAsAnError(text: String) async throws {
        try await GatewayFront.with { front in
            let conversation = try HTTPConversation(port: front.port)
            await conversation.send(text)
            let reply = try await conversation.reply()
            #expect(reply.status == 400)
            let error = try JSONValue(parsing: reply.body)
            #expect(error["serverErrorCode"]?.string == "BAD_REQUEST")
            #expect(error["uuid"]?.string == reply.headers["x-apple-request-uuid"])
            try await conversation.rest()
        }
    }

    @Test func whatFollowsARequestIsAnsweredAfterIt() async throws {
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

    @Test func aBodyThatIsTooLongIsRefused() async throws {
        try await GatewayFront.with { front in
            let body = [UInt8](repeating: 0x20, count: 1 << 20)
            #expect(try await front.ask("POST", GatewayFront.modify, body: body).status == 200)
            let reply = try await front.ask("POST", GatewayFront.modify, body: body + [0x20])
            #expect(reply.status == 413)
            #expect(try JSONValue(parsing: reply.body)["reasonCode"]?.string == "limit_exceeded")
            #expect(reply.headers["connection"] == "close")
        }
    }

    @Test func aBodyOfUnknownLengthIsRefusedWhenItIsTooLong() async throws {
        try await GatewayFront.with { front in
            let conversation = try HTTPConversation(port: front.port)
            await conversation.send(
                "POST \(GatewayFront.modify) HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = Array("10000\r\n".utf8) + [UInt8](repeating: 0x20, count: 0x10000) + Array("\r\n".utf8)
            for _ in 0..<20 { await conversation.send(chunk) }
            let reply = try await conversation.reply()
            #expect(reply.status == 413)
            try await conversation.rest()
        }
    }

    @Test func aCompressedBodyIsInflatedWithinTheLimit() async throws {
        try await GatewayFront.with { front in
            let small = Self.gzip(#"{"operations":[]}"#)
            let reply = try await front.ask("POST", GatewayFront.modify, ["Content-Encoding": "gzip"], body: small)
            #expect(reply.status == 200)
            #expect(front.services.asked.first?.body == Array(#"{"operations":[]}"#.utf8))
            // 4 KiB that become 4 MiB.
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

    @Test func longAnswersAreCompressedForWhoeverAsks() async throws {
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

    @Test func aVeryLongAnswerComesWhole() async throws {
        try await GatewayFront.with { front in
            let body = #"{"records":[""# + String(repeating: "a", count: 3_000_000) + #""]}"#
            front.services.answer.withLock { $0 = { _ in (200, body) } }
            #expect(try await front.ask("POST", GatewayFront.modify).text == body)
            let compressed = try await front.ask("POST", GatewayFront.modify, ["Accept-Encoding": "gzip"])
            #expect(compressed.headers["content-encoding"] == "gzip")
            #expect(compressed.body.starts(with: [0x1F, 0x8B]))
            // A member ends with the length of what it holds.
            let length = compressed.body.suffix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
            #expect(length == body.utf8.count)
        }
    }

    @Test func whoAsksFirstIsToldToGoOn() async throws {
        try await GatewayFront.with { front in
            let conversation = try HTTPConversation(port: front.port)
            await conversation.send(
                "POST \(GatewayFront.modify) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n")
            #expect(try await conversation.reply().status == 100)
            await conversation.send("{}")
            #expect(try await conversation.reply().status == 200)
            await conversation.send(
                "POST \(GatewayFront.modify) HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                    + "Content-Length: 99999999\r\n\r\n")
            #expect(try await conversation.reply().status == 413)
        }
    }

    @Test func aConnectionOnWhichNothingMovesIsClosed() async throws {
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

    @Test func whoWaitsForUsIsNotIdle() async throws {
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

    @Test func aRequestMustComeInTime() async throws {
        var setup = GatewayFront.Setup()
        setup.sendingTime = .milliseconds(600)
        // Longer than the test may take: what ends the connection is the request's time.
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

    /// Clients that would rather speak HTTP/2 ask so with their first request, and send the next one all the same.
    @Test(arguments: [
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n", "Upgrade: TLS/1.3\r\n",
    ])
    func anotherProtocolIsNotSpokenAndTheClientMayComeAgain(fields: String) async throws {
        try await GatewayFront.with { front in
            let conversation = try HTTPConversation(port: front.port)
            await conversation.send("GET /nowhere HTTP/1.1\r\n\(fields)\r\n")
            let reply = try await conversation.reply()
            #expect(reply.status == 404)
            #expect(reply.headers["connection"] == "close")
            try await conversation.rest()
        }
    }

    @Test func whatIsNeverAnsweredIsAnsweredInTime() async throws {
        var setup = GatewayFront.Setup()
        setup.answerTime = .milliseconds(300)
        // As a statement at a server that stands still: it does not even stop when it is told to.
        let waiting = Mutex<[CheckedContinuation<Void, Never>]>([])
        defer { for continuation in waiting.withLock({ $0 }) { continuation.resume() } }
        @Sendable func standStill() async -> CancellationError {
            await withCheckedContinuation { continuation in waiting.withLock { $0.append(continuation) } }
            return CancellationError()
        }
        setup.authenticate = { _, _ in throw await standStill() }
        setup.signIn = { _ in throw await standStill() }
        try await GatewayFront.with(setup) { front in
            let reply = try await front.ask("POST", GatewayFront.modify)
            #expect(reply.status == 503)
            let error = try JSONValue(parsing: reply.body)
            #expect(error["serverErrorCode"]?.string == "TRY_AGAIN_LATER")
            #expect(reply.headers["retry-after"] == error["retryAfter"]?.int.map { "\($0)" })
            // People are told so by a page.
            let page = try await front.ask("GET", "/signin?t=x")
            #expect(page.status == 503)
            #expect(page.headers["content-type"] == "text/html; charset=UTF-8")
        }
    }

    @Test func whoeverIsGoneIsNotWorkedFor() async throws {
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

    @Test func aNewConnectionTakesThePlaceOfAnIdleOne() async throws {
        var setup = GatewayFront.Setup()
        setup.maxConnections = 2
        try await GatewayFront.with(setup) { front in
            let open = try (0..<2).map { _ in try HTTPConversation(port: front.port) }
            // Once more on the second: by then the first is known to be idle.
            for conversation in open + [open[1]] {
                await conversation.send(GatewayFront.request("GET", "/nowhere"))
                #expect(try await conversation.reply().status == 404)
            }
            // The one that has been idle for longest.
            #expect(try await front.ask("GET", "/nowhere").status == 404)
            #expect(try await open[0].rest() == 0)
            await open[1].send(GatewayFront.request("GET", "/nowhere", ["Connection": "close"]))
            #expect(try await open[1].reply().headers["connection"] == "close")
            try await open[1].rest()
        }
    }

    @Test func bodiesHaveSoMuchMemoryAllTogether() async throws {
        var setup = GatewayFront.Setup()
        setup.memory = FairBudget(1_500_000)
        let memory = setup.memory
        try await GatewayFront.with(setup) { front in
            let body = [UInt8](repeating: 0x20, count: 900_000)
            // Another request's.
            #expect(memory.take(900_000) == nil)
            let refusal = try await front.ask("POST", GatewayFront.modify, body: body)
            #expect(refusal.status == 503)
            #expect(refusal.headers["retry-after"] != nil)
            memory.giveBack(900_000)
            #expect(try await front.ask("POST", GatewayFront.modify, body: body).status == 200)
        }
        // All of it was given back.
        #expect(memory.taken == 0)
    }

    @Test func aBodyIsReadOnlyWithGoodCredentials() async throws {
        var setup = GatewayFront.Setup()
        setup.admits = { request, _ in
            guard request.query["ckAPIToken"] == "good" else {
                throw Refusal(
                    ServerError(.apiTokenInvalid, "The API token does not belong to this environment of the container"))
            }
        }
        let memory = setup.memory
        try await GatewayFront.with(setup) { front in
            let body = [UInt8](repeating: 0x20, count: 100_000)
            let head =
                "POST \(GatewayFront.modify)?ckAPIToken=bad HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.count + 1)\r\n"
            for expects in ["", "Expect: 100-continue\r\n"] {
                // Answered although its body has not ended; and not told to continue.
                let stranger = try HTTPConversation(port: front.port)
                await stranger.send(Array("\(head)\(expects)\r\n".utf8) + (expects.isEmpty ? body : []))
                let refused = try await stranger.reply()
                #expect(refused.status == 401)
                #expect(refused.headers["connection"] == "close")
                #expect(memory.taken == 0)
            }
            let good = GatewayFront.modify + "?ckAPIToken=good"
            #expect(try await front.ask("POST", good, body: body).status == 200)
            // Small bodies come with their heads, and the connection goes on.
            let small = try HTTPConversation(port: front.port)
            for _ in 0..<2 {
                await small.send(GatewayFront.request("POST", good, body: Array("{}".utf8)))
                #expect(try await small.reply().status == 200)
            }
            await small.send(GatewayFront.request("POST", good, body: body))
            #expect(try await small.reply().status == 200)
            await small.send(GatewayFront.request("POST", good, body: Array("{}".utf8)))
            #expect(try await small.reply().status == 200)
        }
        #expect(memory.taken == 0)
    }

    @Test func pipelinedBodiesComeInOneAfterTheOther() async throws {
        try await GatewayFront.with { front in
            let large = Array("{\"a\":\"".utf8) + [UInt8](repeating: 0x61, count: 200_000) + Array("\"}".utf8)
            let small = GatewayFront.request("POST", GatewayFront.modify, body: Array("{}".utf8))
            let request = GatewayFront.request("POST", GatewayFront.modify, body: large)
            let conversation = try HTTPConversation(port: front.port)
            await conversation.send(small + request + small + request + small)
            for _ in 0..<5 { #expect(try await conversation.reply().status == 200) }
            #expect(front.services.asked.map(\.body.count) == [2, large.count, 2, large.count, 2])
        }
    }

    @Test func anAddressAndAContainerHaveSharesOfTheBodies() async throws {
        var setup = GatewayFront.Setup()
        setup.memory = FairBudget(1_000_000, parts: FairBudget.Parts(address: 25, container: 50))
        let memory = setup.memory
        try await GatewayFront.with(setup) { front in
            let body = [UInt8](repeating: 0x20, count: 200_000)
            let loopback = Holder(address: IPAddress("127.0.0.1"), container: "another")
            #expect(memory.take(100_000, for: loopback) == nil)
            let ofAddress = try await front.ask("POST", GatewayFront.modify, body: body)
            #expect(ofAddress.status == 503)
            #expect(ofAddress.text.contains("for one address"))
            memory.giveBack(100_000, of: loopback)
            let others = Holder(address: IPAddress("192.0.2.1"), container: "com.example")
            for _ in 0..<2 { #expect(memory.take(200_000, for: Holder(container: "com.example")) == nil) }
            #expect(memory.take(200_000, for: others) == .container)
            let ofContainer = try await front.ask("POST", GatewayFront.modify, body: body)
            #expect(ofContainer.status == 503)
            #expect(ofContainer.text.contains("for one container"))
            memory.giveBack(400_000, of: Holder(container: "com.example"))
            #expect(try await front.ask("POST", GatewayFront.modify, body: body).status == 200)
        }
        #expect(memory.taken == 0)
    }

    @Test func whoComesByHTTPSIsToStayThere() async throws {
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

    @Test func soManyRequestsAreAnsweredAtOnce() async throws {
        var setup = GatewayFront.Setup()
        setup.turns = FairBudget(1)
        let (asked, isAsked) = AsyncStream.makeStream(of: Void.self)
        let (gate, opens) = AsyncStream.makeStream(of: Void.self)
        try await GatewayFront.with(setup) { front in
            front.services.answer.withLock {
                $0 = { _ in
                    isAsked.yield()
                    for await _ in gate { break }
                    return (200, "{}")
                }
            }
            async let first = front.ask("POST", GatewayFront.modify)
            for await _ in asked { break }
            let second = try await front.ask("POST", GatewayFront.modify)
            #expect(second.status == 503)
            #expect(second.headers["retry-after"] == "1")
            #expect(try await front.ask("GET", "/courier?tok=x").status == 200)
            opens.yield()
            #expect(try await first.status == 200)
        }
    }

    @Test func anAddressThatAsksTooOftenIsThrottled() async throws {
        var setup = GatewayFront.Setup()
        setup.rates.address = .init(perSecond: 1, burst: 2)
        setup.proxies = ["127.0.0.1"].compactMap { AddressRange($0) }
        try await GatewayFront.with(setup) { front in
            for _ in 0..<2 { #expect(try await front.ask("GET", "/nowhere").status == 404) }
            let reply = try await front.ask("GET", "/nowhere", ["Origin": "https://a.b"])
            #expect(reply.status == 429)
            #expect(reply.headers["retry-after"] == "1")
            #expect(reply.headers["access-control-allow-origin"] == "https://a.b")
            #expect(try JSONValue(parsing: reply.body)["serverErrorCode"]?.string == "THROTTLED")
            #expect(try await front.ask("GET", "/nowhere", ["X-Forwarded-For": "192.0.2.1"]).status == 404)
        }
    }

    @Test func anAbsoluteTargetIsItsPath() async throws {
        try await GatewayFront.with { front in
            let path = "/database/1/c/development/private/zones/list"
            let absolute = try await front.ask("GET", "http://zonda.example" + path)
            #expect(absolute.status == 200)
            let any = try await front.ask("OPTIONS", "*")
            #expect(any.status == 200)
        }
    }

    /// A gzip member with the text as it is.
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

    /// Four megabytes of zeros, as gzip writes them: nearly all of it is the code for "258 more of them".
    private static let bomb: [UInt8] =
        [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xED, 0xC1, 0x01, 0x01, 0x00, 0x00, 0x00, 0x82,
            0x20, 0xFF, 0xAF, 0x6E, 0x48, 0x40, 0x01,
        ]
        + [UInt8](repeating: 0, count: 4063)
        + [0x7C, 0x1B, 0x6A, 0x40, 0x47, 0x11, 0x00, 0x00, 0x40, 0x00]
}

import ServiceMessages
import TestGenerators
import TestSupport

/// Violates protocols on its own connections. The peer must close them or answer, and must continue to serve all
/// others.
struct FrameAttack {
    let ground: HostileGround

    /// Sends frames that are invalid in AMQP.
    ///
    /// - Throws: ``TestFailure`` if the broker cannot be reached.
    func broker(_ generator: inout SeededGenerator) async throws -> HostileOutcome {
        let wire = try await BrokerWire.open(ground.stack.vhost.url)
        let publish = BrokerFrame.publish(exchange: Exchange.requests, routingKey: Array("service.capabilities".utf8))
        func header(_ count: UInt64, _ properties: [UInt8] = [0, 0]) -> [UInt8] {
            BrokerFrame.header(bodyBytes: count, properties: properties)
        }
        let variants: [[UInt8]] = [
            BrokerFrame.protocolHeader, Array("GET / HTTP/1.1\r\n\r\n".utf8), [1, 0, 1, 0, 0, 0, 1, 0, 0],
            [1, 0, 1, 0xFF, 0xFF, 0xFF, 0xFF], BrokerFrame.method(60, 999), BrokerFrame.method(999, 1), header(1),
            BrokerFrame.body([1]), publish + publish, publish + header(1) + BrokerFrame.body([1, 2, 3]),
            publish + header(1 << 40), publish + header(.max), publish + header(1000) + BrokerFrame.body([1]),
            publish + header(0, [0xFF, 0xFF]), publish + header(0, [0x20, 0] + BrokerFrame.big(UInt32.max)),
            publish + header(0, [0x20, 0, 0, 0, 0, 3, 1, 97, UInt8(ascii: "?")]),
            publish + header(0, [0x20, 0, 0, 0, 0, 8, 1, 97, UInt8(ascii: "S"), 0, 0, 0, 99, 97]),
            publish + BrokerFrame.frame(2, [0, 10, 0, 0] + BrokerFrame.big(UInt64(0)) + [0, 0]),
            BrokerFrame.frame(9, []), BrokerFrame.frame(1, channel: 0, [0, 60, 0, 40]),
            BrokerFrame.frame(1, channel: 999, [0, 60, 0, 40, 0, 0, 0, 0, 0]),
            Array((0..<5000).map { _ in BrokerFrame.frame(8, channel: 0, []) }.joined()),
            Array((0..<1000).map { _ in BrokerFrame.frame(3, []) }.joined()),
            (0..<4096).map { _ in UInt8.random(in: 0...255, using: &generator) },
        ]
        let whole = variants.drawn(&generator)
        let isCut = Int.random(in: 0..<4, using: &generator) == 0
        await wire.send(isCut ? Array(whole.prefix(Int.random(in: 0...whole.count, using: &generator))) : whole)
        await wire.barrier()
        // The broker waits for the rest of an incomplete frame, and treats the barrier as this rest.
        let event = try? await within(.seconds(1), "a word of the broker") {
            for await event in wire.events { return event }
            return .lost
        }
        return if case .closed(let text) = event { .closed(text) } else { .hungUp }
    }

    /// Sends bytes that are invalid in HTTP to the gateway or to the asset service.
    ///
    /// - Throws: ``TestFailure`` if they cannot be reached.
    func http(_ generator: inout SeededGenerator) async throws -> HostileOutcome {
        let stack = ground.stack
        let line = "POST /database/1/\(stack.container)/development/public/records/query HTTP/1.1\r\nHost: h\r\n"
        let whole: [String] = [
            "\r\n\r\n\r\n", "A\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET  /  HTTP/1.1\r\n\r\n", "\u{0}\u{0}\r\n\r\n",
            "GET /\u{0} HTTP/1.1\r\nHost: h\r\n\r\n", "GET / HTTP/1.1\r\nHost\r\n\r\n", "GET / HTTP/1.1\r\n: a\r\n\r\n",
            "GET / HTTP/1.1\r\nA: b\r\n c\r\nHost: h\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "CONNECT h:1 HTTP/1.1\r\n\r\n",
            "\(line)Content-Length: -1\r\n\r\n", "\(line)Content-Length: 18446744073709551616\r\n\r\n",
            "\(line)Content-Length: 1\r\nContent-Length: 2\r\n\r\na",
            "\(line)Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET / HTTP/1.1\r\n\r\n",
            "\(line)Transfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n",
            "\(line)Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n{}\r\n",
            "\(line)Transfer-Encoding: gzip\r\n\r\n{}", "\(line)Expect: 200-maybe\r\nContent-Length: 2\r\n\r\n{}",
            "\(line)X: \(String(repeating: "a", count: 100_000))\r\n\r\n",
            "\(line)\((0..<2000).map { "X\($0): a\r\n" }.joined())\r\n",
            "GET /\(String(repeating: "a", count: 100_000)) HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET /\(String(repeating: "%00/", count: 2000)) HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET /?\(String(repeating: "a=b&", count: 10_000)) HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET /database/1/../../etc HTTP/1.1\r\nHost: h\r\n\r\n", "OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n",
            String(repeating: "GET / HTTP/1.1\r\nHost: h\r\n\r\n", count: 100),
            "GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
            "PUT /upload/a HTTP/1.1\r\nHost: h\r\nContent-Range: bytes 9-1/0\r\nUpload-Offset: -1\r\n\r\n",
            "GET / HTTP/1.1\r\nHost: h\r\nRange: bytes=\(String(repeating: "0-1,", count: 10_000))\r\n\r\n",
        ]
        let partial: [String] = [
            "", "G", "\(line)", "\(line)Content-Length: 100\r\n\r\n{",
            "\(line)Transfer-Encoding: chunked\r\n\r\n5\r\n{",
            "\(line)Transfer-Encoding: chunked\r\n\r\n",
        ]
        let port = Bool.random(using: &generator) ? stack.gatewayPort : stack.assetPort
        let conversation = try HTTPConversation(port: port)
        if Int.random(in: 0..<4, using: &generator) == 0 {
            await conversation.send(partial.drawn(&generator))
            if Bool.random(using: &generator) { conversation.reset() }
            return .hungUp
        }
        let text = whole.drawn(&generator)
        await conversation.send(text)
        // The server waits for the end of an incomplete request. It answers bytes that cannot be a request, or closes
        // the connection.
        guard let reply = await Self.reply(of: conversation, within: .seconds(3)) else { return .closed("") }
        return .answered(reply.status)
    }

    /// Returns the answer if it arrives in time; otherwise resets the connection.
    private static func reply(of conversation: HTTPConversation, within limit: Duration) async -> HTTPReply? {
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                if (try? await ContinuousClock().sleep(for: limit)) != nil { conversation.reset() }
            }
            defer { group.cancelAll() }
            return try? await conversation.reply()
        }
    }
}

internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import Synchronization

/// A persistent connection to the gateway, with one request in progress at a time. It does as little work as possible,
/// because it shares the machine with the services that it measures.
final class GatewayConnection: Sendable {
    private let channel: any Channel
    private let exchange: GatewayExchange

    private init(_ channel: any Channel, _ exchange: GatewayExchange) {
        (self.channel, self.exchange) = (channel, exchange)
    }

    /// Connects.
    ///
    /// - Throws: an error if no server is listening.
    static func connect(host: String, port: Int, on group: any EventLoopGroup) async throws -> GatewayConnection {
        let exchange = GatewayExchange()
        let channel = try await ClientBootstrap(group: group)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHTTPClientHandlers()
                    try channel.pipeline.syncOperations.addHandler(GatewayExchangeHandler(exchange))
                }
            }
            .connect(host: host, port: port).get()
        return GatewayConnection(channel, exchange)
    }

    /// Sends a POST request and returns the body of the answer.
    ///
    /// - Throws: ``LimitFailure`` if the status is not 200, or if the connection was closed.
    func post(_ body: [UInt8], to target: String, host: String) async throws -> [UInt8] {
        let headers: HTTPHeaders = [
            "host": host, "content-type": "application/json", "content-length": String(body.count),
        ]
        return try await ask(HTTPRequestHead(version: .http1_1, method: .POST, uri: target, headers: headers), body)
    }

    /// Sends a GET request and returns the body of the answer.
    ///
    /// - Throws: the errors of ``post(_:to:host:)``.
    func get(_ target: String, host: String) async throws -> [UInt8] {
        try await ask(HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: ["host": host]), [])
    }

    private func ask(_ head: HTTPRequestHead, _ body: [UInt8]) async throws -> [UInt8] {
        let answer = try await withCheckedThrowingContinuation { continuation in
            exchange.begin(continuation)
            channel.write(HTTPClientRequestPart.head(head), promise: nil)
            if !body.isEmpty {
                channel.write(HTTPClientRequestPart.body(.byteBuffer(ByteBuffer(bytes: body))), promise: nil)
            }
            channel.writeAndFlush(HTTPClientRequestPart.end(nil), promise: nil)
        }
        guard answer.status == 200 else {
            throw LimitFailure("the gateway answered \(answer.status): \(String(decoding: answer.body, as: UTF8.self))")
        }
        return answer.body
    }

    /// Closes the connection.
    func close() async { try? await channel.close() }
}

/// The answer for which a connection waits.
final class GatewayExchange: Sendable {
    typealias Answer = (status: Int, body: [UInt8])
    private let waiting = Mutex<CheckedContinuation<Answer, any Error>?>(nil)

    fileprivate func begin(_ continuation: CheckedContinuation<Answer, any Error>) {
        waiting.withLock { $0 = continuation }
    }

    fileprivate func end(_ result: Result<Answer, any Error>) {
        waiting.withLock { waiting in
            defer { waiting = nil }
            return waiting
        }?.resume(with: result)
    }
}

/// Combines the parts of an answer.
private final class GatewayExchangeHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart

    private let exchange: GatewayExchange
    private var status = 0
    private var body: [UInt8] = []

    init(_ exchange: GatewayExchange) { self.exchange = exchange }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            status = Int(head.status.code)
            body.removeAll(keepingCapacity: true)
        case .body(let part): body += part.readableBytesView
        case .end: exchange.end(.success((status, body)))
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        exchange.end(.failure(LimitFailure("the gateway closed a connection")))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        exchange.end(.failure(error))
        context.close(promise: nil)
    }
}

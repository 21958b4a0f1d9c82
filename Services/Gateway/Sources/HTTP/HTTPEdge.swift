internal import CloudKitModel
internal import Foundation
internal import HTTPServing
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// Next to the HTTP codec: what the handlers behind it cannot do any more.
///
/// It answers what is not HTTP with a JSON error, and decides about compression, of which the compressor behind it would
/// prefer `deflate`, and do it to answers to HEAD as well.
final class HTTPEdge: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Requests whose answer is not written yet.
    private var unanswered = 0
    /// Whether a request's head was read and its end was not.
    private var isReading = false
    /// What follows the requests that were read is not HTTP.
    private var isSpoilt = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        switch part {
        case .head(var head):
            unanswered += 1
            isReading = true
            // What is compressed comes in chunks, which HTTP/1.0 does not know.
            let wantsCompression =
                head.method != .HEAD && head.version != .http1_0 && Self.accepts("gzip", head.headers)
            head.headers.remove(name: "accept-encoding")
            if wantsCompression { head.headers.add(name: "accept-encoding", value: "gzip") }
            // The parts behind know no versions of HTTP. After what asks for another protocol, which it does not get, the
            // codec reads no more.
            if !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "upgrade") {
                head.headers.replaceOrAdd(name: "connection", value: "close")
            }
            part = .head(head)
        case .body: break
        case .end: isReading = false
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        unanswered -= 1
        context.write(data, promise: promise)
        if isSpoilt, unanswered == 0 { refuse(context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError || error is ByteToMessageDecoderError.PayloadTooLargeError else {
            return context.fireErrorCaught(error)
        }
        // In the middle of a body it is for who reads that to answer.
        guard !isReading else { return context.fireErrorCaught(error) }
        isSpoilt = true
        if unanswered == 0 { refuse(context) }
    }

    /// Whether a client takes an encoding: named, or by `*`, and not with a weight of zero.
    private static func accepts(_ encoding: String, _ headers: HTTPHeaders) -> Bool {
        var isAnyAccepted = false
        for element in headers[canonicalForm: "accept-encoding"] {
            let parts = element.lowercased().split(separator: ";").map { $0.filter { $0 != " " } }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
            if name == encoding { return weight > 0 }
            if name == "*" { isAnyAccepted = weight > 0 }
        }
        return isAnyAccepted
    }

    private func refuse(_ context: ChannelHandlerContext) {
        let requestID = UUID().uuidString.lowercased()
        let answer = GatewayAnswer(
            ServerError(.requestMalformed, "The request is not HTTP/1.1, or its head is too large", field: "http"),
            requestID: requestID)
        var headers = HTTPHeaders(answer.headers.map { ($0.name.rawName, $0.value) })
        headers.add(name: "x-apple-request-uuid", value: requestID)
        headers.add(name: "content-length", value: String(answer.body.count))
        headers.add(name: "connection", value: "close")
        let head = HTTPResponseHead(version: .http1_1, status: .badRequest, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: answer.body)))), promise: nil)
        let written = context.eventLoop.makePromise(of: Void.self)
        let channel = context.channel
        written.futureResult.whenComplete { _ in
            channel.closeAfterLingering()
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: written)
    }
}

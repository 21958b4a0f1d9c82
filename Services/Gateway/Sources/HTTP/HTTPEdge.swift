internal import CloudKitModel
internal import Foundation
internal import HTTPServing
internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// The handler next to the HTTP codec, for tasks that need the raw request.
///
/// It answers bytes that are not HTTP with a JSON error. It also decides which responses can be compressed: the
/// compressor behind this handler would prefer `deflate`, and would also compress responses to HEAD.
final class HTTPEdge: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The number of requests whose response has not been written yet.
    private var unanswered = 0
    /// Whether the head of a request has been read, but not its end.
    private var isReading = false
    /// Whether bytes that are not HTTP followed the requests.
    private var isInvalid = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var part = unwrapInboundIn(data)
        switch part {
        case .head(var head):
            unanswered += 1
            isReading = true
            // Compressed responses are chunked, which HTTP/1.0 does not support.
            let wantsCompression =
                head.method != .HEAD && head.version != .http1_0 && Self.accepts("gzip", head.headers)
            head.headers.remove(name: "accept-encoding")
            if wantsCompression { head.headers.add(name: "accept-encoding", value: "gzip") }
            // The handlers behind this one do not see the HTTP version. After a request to switch protocols, which is
            // not granted, the codec stops reading.
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
        if isInvalid, unanswered == 0 { refuse(context) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard error is HTTPParserError || error is ByteToMessageDecoderError.PayloadTooLargeError else {
            return context.fireErrorCaught(error)
        }
        // If the error occurs within a body, the body's reader answers.
        guard !isReading else { return context.fireErrorCaught(error) }
        isInvalid = true
        if unanswered == 0 { refuse(context) }
    }

    /// Returns whether a client accepts an encoding, by name or by `*`, with a weight above zero.
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

internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// Lets the body of the request that is being answered in.
struct BodyAdmission: Sendable {
    /// Whose budget its bytes come out of.
    var holder: Holder
    /// Its length, inflated, in bytes.
    var maxBytes: Int
}

/// Keeps the body of a request outside until the request's head was found good: nothing of it is inflated, and no more of
/// it is read from the socket than came with the head.
///
/// Small plain bodies pass at once, as nearly all requests have them: to hold them back would save nothing. A client that
/// asks before it sends (`Expect: 100-continue`) is told to continue when its body may come in.
///
/// A request that is answered without its body having been let in is the last on its connection.
final class BodyGate: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// Plain bodies up to this length pass at once, in bytes.
    static let freeBytes = 16 << 10

    /// Requests whose head was let in.
    private var heads = 0
    /// Of them, those whose answer is written.
    private var answered = 0
    /// What came behind a head that is being looked at; nil: the gate is open.
    private var waiting: CircularBuffer<HTTPServerRequestPart>?
    /// Whether the client waits to be told to continue.
    private var isAsked = false
    /// Whether more was to be read while something waited.
    private var wantsRead = false
    /// Whether the connection ends, and what comes is thrown away.
    private var isOver = false

    /// Whether a body with these header fields is kept outside until it is let in.
    static func holdsBack(_ fields: HTTPFields) -> Bool {
        holdsBack { name in HTTPField.Name(name).flatMap { fields[$0] } }
    }

    private static func holdsBack(_ field: (String) -> String?) -> Bool {
        if field("transfer-encoding") != nil || field("expect") != nil { return true }
        guard let length = field("content-length") else { return false }
        return Int(length) ?? .max > freeBytes || field("content-encoding") != nil
    }

    // MARK: What comes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isOver else { return }
        let part = unwrapInboundIn(data)
        if waiting != nil { waiting?.append(part) } else { pass(part, context) }
    }

    func read(context: ChannelHandlerContext) {
        if waiting?.isEmpty == false { wantsRead = true } else { context.read() }
    }

    private func pass(_ part: HTTPServerRequestPart, _ context: ChannelHandlerContext) {
        if case .head(let head) = part {
            heads += 1
            if Self.holdsBack({ head.headers.first(name: $0) }) {
                waiting = []
                isAsked = head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
            }
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    private func open(_ context: ChannelHandlerContext) {
        guard var parts = waiting else { return }
        waiting = nil
        if isAsked, parts.isEmpty {
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        }
        while let part = parts.popFirst() {
            // A head among them may shut the gate again.
            if waiting != nil { waiting?.append(part) } else { pass(part, context) }
        }
        context.fireChannelReadComplete()
        readOn(context)
    }

    private func readOn(_ context: ChannelHandlerContext) {
        guard wantsRead else { return }
        wantsRead = false
        read(context: context)
    }

    // MARK: What goes

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyAdmission else { return context.triggerUserOutboundEvent(event, promise: promise) }
        // Requests are answered one after the other: what follows this one is not meant.
        if heads == answered + 1 { open(context) }
        promise?.succeed()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        answered += 1
        context.write(data, promise: promise)
        guard waiting != nil, answered == heads else { return }
        isOver = true
        waiting = nil
        readOn(context)
    }
}

internal import HTTPTypes
internal import NIOCore
internal import NIOHTTP1

/// The event that admits the body of the request being answered.
struct BodyAdmission: Sendable {
    /// The holder to which the bytes are charged in the budget for bodies.
    var holder: Holder
    /// The maximum size of the body after decompression, in bytes.
    var maxBytes: Int
}

/// Holds back the body of a request until the request's head has been checked. Until then, the body is not
/// decompressed, and only the part that arrived with the head is read from the socket.
///
/// Small uncompressed bodies, which nearly all requests have, pass immediately, because holding them back would save
/// nothing. A client that sends `Expect: 100-continue` receives status 100 when its body is admitted.
///
/// A request that is answered before its body is admitted is the last one on its connection.
final class BodyGate: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    /// The maximum size, in bytes, of uncompressed bodies that pass immediately.
    static let freeBytes = 16 << 10

    /// The number of requests whose head has passed the gate.
    private var heads = 0
    /// The number of requests whose response has been written.
    private var answered = 0
    /// The parts that follow a head that is being checked; nil while the gate is open.
    private var waiting: CircularBuffer<HTTPServerRequestPart>?
    /// Whether the client is waiting for `100 Continue`.
    private var expectsContinue = false
    /// Whether a read was requested while parts were waiting.
    private var wantsRead = false
    /// Whether further parts are discarded because the connection is about to close.
    private var isDiscarding = false

    /// Returns whether a body with these header fields is held back until it is admitted.
    static func holdsBack(_ fields: HTTPFields) -> Bool {
        holdsBack { name in HTTPField.Name(name).flatMap { fields[$0] } }
    }

    private static func holdsBack(_ field: (String) -> String?) -> Bool {
        if field("transfer-encoding") != nil || field("expect") != nil { return true }
        guard let length = field("content-length") else { return false }
        return Int(length) ?? .max > freeBytes || field("content-encoding") != nil
    }

    // MARK: Inbound

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDiscarding else { return }
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
                expectsContinue = head.headers[canonicalForm: "expect"].contains { $0.lowercased() == "100-continue" }
            }
        }
        context.fireChannelRead(wrapInboundOut(part))
    }

    private func open(_ context: ChannelHandlerContext) {
        guard var parts = waiting else { return }
        waiting = nil
        if expectsContinue, parts.isEmpty {
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            context.writeAndFlush(wrapOutboundOut(.head(head)), promise: nil)
        }
        while let part = parts.popFirst() {
            // A head among the parts can close the gate again.
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

    // MARK: Outbound

    func triggerUserOutboundEvent(context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?) {
        guard event is BodyAdmission else { return context.triggerUserOutboundEvent(event, promise: promise) }
        // Requests are answered in order. If the head of a later request has already passed, the waiting parts belong
        // to that request, and this event does not admit them.
        if heads == answered + 1 { open(context) }
        promise?.succeed()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .end = unwrapOutboundIn(data) else { return context.write(data, promise: promise) }
        answered += 1
        context.write(data, promise: promise)
        guard waiting != nil, answered == heads else { return }
        isDiscarding = true
        waiting = nil
        readOn(context)
    }
}

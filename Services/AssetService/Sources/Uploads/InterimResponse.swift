internal import HTTPTypes
internal import NIOCore

/// An interim response: `100 Continue` for a client that sent `Expect: 100-continue` (as curl does for bodies of a
/// megabyte or more, waiting for up to a second), or `104 Upload Resumption Supported`.
///
/// Hummingbird does not let routes send interim responses. Therefore, a handler is inserted at the socket end of the
/// pipeline, below Hummingbird's HTTP codec. It writes the response and removes itself.
final class InterimResponse: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let text: String

    private init(_ text: String) { self.text = text }

    /// Sends an interim response on the connection of a request whose body has not been read yet.
    ///
    /// - Parameter status: the status code and its reason phrase.
    static func send(_ status: String, _ fields: HTTPFields = [:], on channel: any Channel) {
        let text = "HTTP/1.1 \(status)\r\n" + fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
        channel.eventLoop.execute {
            // This fails only if the connection is closed.
            try? channel.pipeline.syncOperations.addHandler(InterimResponse(text), position: .first)
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}

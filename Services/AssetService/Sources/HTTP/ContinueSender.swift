internal import NIOCore

/// Tells a client that asked (`Expect: 100-continue`, as curl does for a megabyte and more) to send its body: otherwise it
/// waits for a second.
///
/// Hummingbird gives a route no way to answer in between, so the line is written below its HTTP codec, by a handler that
/// puts itself at the socket's end of the pipeline and is gone again.
final class ContinueSender: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Sends it on the connection of a request whose body was not read yet.
    static func send(on channel: any Channel) {
        channel.eventLoop.execute {
            // A pipeline that takes no handler any more has no client any more.
            try? channel.pipeline.syncOperations.addHandler(ContinueSender(), position: .first)
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: "HTTP/1.1 100 Continue\r\n\r\n")), promise: nil)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}

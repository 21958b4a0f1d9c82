internal import HTTPTypes
internal import NIOCore

/// An answer before the answer: "go on" to a client that asked (`Expect: 100-continue`, as curl does for a megabyte and
/// more, and otherwise waits for a second), or "this upload can be resumed".
///
/// Hummingbird gives a route no way to answer in between, so the lines are written below its HTTP codec, by a handler that
/// puts itself at the socket's end of the pipeline and is gone again.
final class InterimResponse: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let text: String

    private init(_ text: String) { self.text = text }

    /// Sends it on the connection of a request whose body was not read yet.
    ///
    /// - Parameter status: the code and its phrase.
    static func send(_ status: String, _ fields: HTTPFields = [:], on channel: any Channel) {
        let text = "HTTP/1.1 \(status)\r\n" + fields.map { "\($0.name): \($0.value)\r\n" }.joined() + "\r\n"
        channel.eventLoop.execute {
            // A pipeline that takes no handler any more has no client any more.
            try? channel.pipeline.syncOperations.addHandler(InterimResponse(text), position: .first)
        }
    }

    func handlerAdded(context: ChannelHandlerContext) {
        context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}

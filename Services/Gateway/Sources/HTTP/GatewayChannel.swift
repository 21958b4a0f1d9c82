internal import HTTPServing
internal import HTTPTypes
internal import Hummingbird
internal import HummingbirdCore
internal import Logging
internal import NIOCore
internal import NIOHTTP1
internal import NIOHTTPCompression
internal import NIOHTTPTypes
internal import NIOHTTPTypesHTTP1

/// How a connection's bytes become requests and answers become bytes: Hummingbird's HTTP/1.1 with limits at each step,
/// compression, and answers to what is not HTTP.
struct GatewayChannel: ServerChildChannel, HTTPChannelHandler {
    /// Answers smaller than this are sent as they are, in bytes.
    private static let minCompressedBytes = 1024

    let responder: HTTPChannelHandler.Responder
    let connections: ConnectionPolicy
    let limits: ConnectionLimits

    func setup(
        channel: any Channel, logger: Logger
    ) -> EventLoopFuture<NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>> {
        channel.eventLoop.makeCompletedFuture {
            var headLimits = NIOHTTPDecoderLimitConfiguration()
            headLimits.maxHeaderFieldSize = ConnectionLimits.maxHeadBytes
            headLimits.maxHeaderListSize = ConnectionLimits.maxHeadBytes
            headLimits.maxHeaderFieldCount = ConnectionLimits.maxFields
            let decoder = HTTPRequestDecoder(
                leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .drop, limitConfiguration: headLimits)
            try channel.pipeline.syncOperations.addHandlers([
                HTTPResponseEncoder(),
                // Its own limits do not bound the request's line.
                ByteToMessageHandler(decoder, maximumBufferSize: 4 * ConnectionLimits.maxHeadBytes),
                HTTPEdge(),
                // Next to the socket: the compressor takes every head that passes it for an answer, 100 Continue too.
                BodyGate(),
                HTTPResponseCompressor(responseCompressionPredicate: Self.compression),
                // How long bodies may be is the guard's to count.
                NIOHTTPRequestDecompressor(limit: .ratio(ConnectionLimits.maxInflation)),
                HTTP1ToHTTPServerCodec(secure: false),
            ])
            try channel.pipeline.syncOperations.addHandlers(ConnectionWatch.handlers(connections))
            try channel.pipeline.syncOperations.addHandler(ConnectionGuard(limits))
            return try NIOAsyncChannel(
                wrappingChannelSynchronously: channel, configuration: .init(isOutboundHalfClosureEnabled: true))
        }
    }

    func handle(value: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>, logger: Logger) async {
        await withTaskExecutorPreference(EventLoopTaskExecutor(value.channel.eventLoop)) {
            await handleHTTP(asyncChannel: value, logger: logger)
        }
    }

    /// JSON, and the document of the endpoints: pages have secrets beside what a stranger may choose, from whose
    /// compressed length both together could be guessed; a stream of events is to arrive event by event. Nor what says
    /// `no-transform`.
    private static func compression(
        _ head: inout HTTPResponseHead, _ isSupported: Bool
    ) -> HTTPResponseCompressor.CompressionIntent {
        let type = head.headers.first(name: "content-type") ?? ""
        guard type.hasPrefix("application/json") || type.hasPrefix("application/yaml"),
            let length = head.headers.first(name: "content-length").flatMap({ Int($0) }), length >= minCompressedBytes,
            head.headers.first(name: "cache-control")?.contains("no-transform") != true
        else { return .doNotCompress }
        head.headers.add(name: "vary", value: "Accept-Encoding")
        // The compressor corrects the length only of an answer that it has whole when its head is sent; of others it is
        // left to the encoder, which sends them in chunks.
        if isSupported { head.headers.remove(name: "content-length") }
        return .compressIfPossible
    }
}

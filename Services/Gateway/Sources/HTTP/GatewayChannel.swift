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

/// The pipeline of a connection: Hummingbird's HTTP/1.1 with limits at each step, compression, and an error for bytes
/// that are not HTTP.
struct GatewayChannel: ServerChildChannel, HTTPChannelHandler {
    /// The minimum size, in bytes, of a response that is compressed.
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
                // The decoder's own limits do not cover the request line.
                ByteToMessageHandler(decoder, maximumBufferSize: 4 * ConnectionLimits.maxHeadBytes),
                HTTPEdge(),
                // The gate is closer to the socket than the compressor is, because the compressor would mistake `100
                // Continue` for a response.
                BodyGate(),
                HTTPResponseCompressor(responseCompressionPredicate: Self.compression),
                // ConnectionGuard limits the size of bodies.
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

    /// Decides whether a response is compressed. JSON and the OpenAPI document are compressed. Pages are not, because
    /// they contain secrets alongside text that an attacker can choose, and the compressed length would reveal the
    /// secrets. Event streams are not compressed, because each event has to arrive immediately. Responses with
    /// `no-transform` are not compressed either.
    private static func compression(
        _ head: inout HTTPResponseHead, _ isSupported: Bool
    ) -> HTTPResponseCompressor.CompressionIntent {
        let type = head.headers.first(name: "content-type") ?? ""
        guard type.hasPrefix("application/json") || type.hasPrefix("application/yaml"),
            let length = head.headers.first(name: "content-length").flatMap({ Int($0) }), length >= minCompressedBytes,
            head.headers.first(name: "cache-control")?.contains("no-transform") != true
        else { return .doNotCompress }
        head.headers.add(name: "vary", value: "Accept-Encoding")
        // The compressor corrects the length only if it has the whole response when the head is sent. Otherwise the
        // encoder sends chunks.
        if isSupported { head.headers.remove(name: "content-length") }
        return .compressIfPossible
    }
}

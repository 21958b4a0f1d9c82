internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension GatewayAnswer {
    /// Longer bodies are handed to the socket in pieces of so many bytes: a client that reads slowly then shows that it
    /// reads.
    private static let pieceBytes = 64 << 10

    /// The answer as Hummingbird writes it.
    var response: Response {
        let buffer = ByteBuffer(bytes: body)
        let whole = ResponseBody(byteBuffer: buffer)
        let pieces = ResponseBody(contentLength: body.count) { writer in
            var rest = buffer
            while let piece = rest.readSlice(length: min(Self.pieceBytes, rest.readableBytes)), piece.readableBytes > 0
            {
                try await writer.write(piece)
            }
            try await writer.finish(nil)
        }
        return Response(
            status: HTTPResponse.Status(code: status), headers: headers,
            body: body.count > Self.pieceBytes ? pieces : whole)
    }
}

internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

extension GatewayAnswer {
    /// The size, in bytes, of the pieces in which larger bodies are written. Writing in pieces makes the progress of a
    /// slow client visible.
    private static let pieceBytes = 64 << 10

    /// The answer as a Hummingbird response.
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

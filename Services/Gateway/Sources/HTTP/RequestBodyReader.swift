internal import CloudKitModel
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOHTTPCompression

/// Reads bodies whole. Their bytes are counted, and inflated, before they come here (``ConnectionGuard``).
struct RequestBodyReader: Sendable {
    let maxBytes: Int

    /// The body; empty if there is none.
    ///
    /// - Throws: `ServerError`, after which the connection cannot go on when ``isEnd(_:)`` says so.
    func read(_ request: Request) async throws(ServerError) -> [UInt8] {
        try check(request.headers)
        var bytes: [UInt8] = []
        do {
            for try await part in request.body { bytes.append(contentsOf: part.readableBytesView) }
        } catch {
            throw refusal(of: error)
        }
        return bytes
    }

    private func check(_ headers: HTTPFields) throws(ServerError) {
        if let encoding = headers[.contentEncoding]?.lowercased(),
            !["gzip", "deflate", "identity", ""].contains(encoding)
        {
            throw ServerError(
                .requestMalformed, "A body may be encoded as 'gzip' or 'deflate'", field: "Content-Encoding")
        }
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > maxBytes {
            throw .tooMany("bytes", limit: maxBytes, actual: length)
        }
    }

    private func refusal(of error: any Error) -> ServerError {
        switch error {
        case BodyRefusal.tooLarge, NIOHTTPDecompression.DecompressionError.limit:
            ServerError(
                .limitExceeded, "The body is larger than the maximum of \(maxBytes) bytes", field: "bytes",
                limit: maxBytes)
        case BodyRefusal.noMemory:
            ServerError(.tooBusy, "The server holds as many bytes of requests as it may")
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
            ServerError(.requestMalformed, "The body is not what its Content-Encoding says", field: "Content-Encoding")
        case is CancellationError: .gatewayEnding()
        default: ServerError(.requestMalformed, "The body ends too early, or is not HTTP", field: "body")
        }
    }
}

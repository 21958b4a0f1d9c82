internal import CloudKitModel
internal import CoreMetrics
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOHTTPCompression
internal import ServiceRuntime

/// Reads complete bodies. The bytes have already been decompressed, and ``ConnectionGuard`` has counted them.
struct RequestBodyReader: Sendable {
    /// The maximum size of a body after decompression, in bytes. A route can have a smaller limit.
    let maxBytes: Int
    let metrics: GatewayMetrics

    /// Checks the header fields that describe the body.
    ///
    /// - Throws: `ServerError` for an unsupported encoding, or for a length above the limit.
    func check(_ headers: HTTPFields, maxBytes: Int) throws(ServerError) {
        if let encoding = headers[.contentEncoding]?.lowercased(),
            !["gzip", "deflate", "identity", ""].contains(encoding)
        {
            throw ServerError(
                .requestMalformed, "The content encoding must be 'gzip' or 'deflate'", field: "Content-Encoding")
        }
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > maxBytes {
            metrics.refusedBodies["length"].increment()
            throw .tooMany("bytes", limit: maxBytes, actual: length)
        }
    }

    /// Reads the body. Returns an empty array if there is none.
    ///
    /// - Throws: `ServerError`, after which the connection must be closed.
    func read(_ request: Request, maxBytes: Int) async throws(ServerError) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            for try await part in request.body { bytes.append(contentsOf: part.readableBytesView) }
        } catch {
            throw refusal(of: error, maxBytes)
        }
        return bytes
    }

    private func refusal(of error: any Error, _ maxBytes: Int) -> ServerError {
        switch error {
        case BodyRefusal.tooLarge:
            metrics.refusedBodies["length"].increment()
            return ServerError(
                .limitExceeded, "The body is larger than the maximum of \(maxBytes) bytes", field: "bytes",
                limit: maxBytes)
        case NIOHTTPDecompression.DecompressionError.limit:
            metrics.refusedBodies["inflation"].increment()
            return ServerError(
                .limitExceeded,
                "The body is more than \(ConnectionLimits.maxInflation) times as large as its compressed form. Send it uncompressed.",
                field: "Content-Encoding", limit: ConnectionLimits.maxInflation)
        case BodyRefusal.noMemory(let bound):
            metrics.refusedBodies[bound.rawValue].increment()
            return .tooBusy("has reached the maximum size of request bodies in memory", bound)
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
            return ServerError(
                .requestMalformed, "The body is not encoded as its Content-Encoding header indicates",
                field: "Content-Encoding")
        case is CancellationError: return .gatewayEnding()
        default:
            return ServerError(.requestMalformed, "The body ends too early or is not valid HTTP", field: "body")
        }
    }
}

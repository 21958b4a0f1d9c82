internal import CloudKitModel
internal import CoreMetrics
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore
internal import NIOHTTPCompression
internal import ServiceRuntime

/// Reads bodies whole. Their bytes are counted, and inflated, before they come here (``ConnectionGuard``).
struct RequestBodyReader: Sendable {
    /// A body's length, inflated, in bytes; a route may have a smaller limit.
    let maxBytes: Int
    let metrics: GatewayMetrics

    /// Looks at what a request's head says of its body.
    ///
    /// - Throws: `ServerError` for an encoding that is not served, and for a length over the limit.
    func check(_ headers: HTTPFields, maxBytes: Int) throws(ServerError) {
        if let encoding = headers[.contentEncoding]?.lowercased(),
            !["gzip", "deflate", "identity", ""].contains(encoding)
        {
            throw ServerError(
                .requestMalformed, "A body may be encoded as 'gzip' or 'deflate'", field: "Content-Encoding")
        }
        if let length = headers[.contentLength].flatMap({ Int($0) }), length > maxBytes {
            metrics.refusedBodies["length"].increment()
            throw .tooMany("bytes", limit: maxBytes, actual: length)
        }
    }

    /// The body; empty if there is none.
    ///
    /// - Throws: `ServerError`, after which the connection can carry no other request.
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
                "The body inflates to more than \(ConnectionLimits.maxInflation) times its size. Send it uncompressed.",
                field: "Content-Encoding", limit: ConnectionLimits.maxInflation)
        case BodyRefusal.noMemory(let bound):
            metrics.refusedBodies[bound.rawValue].increment()
            return .tooBusy("holds as many bytes of requests as it may", bound)
        case is NIOHTTPDecompression.DecompressionError, is NIOHTTPDecompression.ExtraDecompressionError:
            return ServerError(
                .requestMalformed, "The body is not what its Content-Encoding says", field: "Content-Encoding")
        case is CancellationError: return .gatewayEnding()
        default:
            return ServerError(.requestMalformed, "The body ends too early, or is not HTTP", field: "body")
        }
    }
}

extension ServerError {
    /// The server has no room for the request now, or for more of its address or container.
    static func tooBusy(_ state: String, _ bound: FairBudget.Bound) -> ServerError {
        switch bound {
        case .all: ServerError(.tooBusy, "The server \(state)")
        case .address: ServerError(.tooBusy, "The server \(state) for one address")
        case .container: ServerError(.tooBusy, "The server \(state) for one container")
        }
    }
}

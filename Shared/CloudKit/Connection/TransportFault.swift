internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

/// The reason why a request got no answer.
struct TransportFault: Error {
    /// The kinds of reasons.
    enum Kind: Sendable {
        /// There is no route to the host, or its name cannot be resolved.
        case unreachable
        /// The host refuses connections, or does not accept one in time.
        case refused
        /// The certificate of the server is not trusted, or there is another error of TLS.
        case untrusted
        /// The connection ended after the request had been sent.
        case lost
        /// The answer did not arrive in time.
        case timedOut
        /// The task was cancelled.
        case cancelled
        /// The request cannot be sent, for example because its address is invalid.
        case invalid
    }

    /// The kind of the reason.
    let kind: Kind
    /// The error of the HTTP client.
    let underlying: any Error

    /// Classifies an error of the HTTP client.
    init(_ error: any Error) {
        underlying = error
        kind = Self.kind(of: error)
    }

    /// Whether the request may be repeated: the server did not answer, and may do so the next time.
    var isLost: Bool {
        switch kind {
        case .unreachable, .refused, .lost: true
        case .untrusted, .timedOut, .cancelled, .invalid: false
        }
    }

    /// The error that applications receive.
    ///
    /// - Parameters:
    ///   - url: the address of the server.
    ///   - isWrite: whether the request changes something.
    func error(url: String, isWrite: Bool) -> CKError {
        switch kind {
        case .unreachable:
            CKError(.networkUnavailable, "The server \(url) cannot be reached.", underlying: underlying)
        case .refused:
            CKError(.networkFailure, "The server \(url) does not accept connections.", underlying: underlying)
        case .untrusted:
            CKError(
                .networkFailure,
                "The certificate of \(url) is not trusted. To trust it, set ZONDA_CERTIFICATE_FILE to a PEM file.",
                underlying: underlying)
        case .lost where isWrite:
            CKError(
                .serverResponseLost,
                "The connection to \(url) ended before the answer. Fetch the items to see what was saved.",
                underlying: underlying)
        case .lost:
            CKError(.networkFailure, "The connection to \(url) ended before the answer.", underlying: underlying)
        case .timedOut:
            CKError(.networkFailure, "The server \(url) did not answer in time.", underlying: underlying)
        case .cancelled:
            CKError(.operationCancelled, "The operation was cancelled.")
        case .invalid:
            CKError(.internalError, "The request to \(url) cannot be sent: \(underlying).", underlying: underlying)
        }
    }

    private static func kind(of error: any Error) -> Kind {
        switch error {
        case is CancellationError: .cancelled
        case let error as NIOConnectionError: kind(of: error)
        case let error as IOError: kind(of: error)
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: .untrusted
        case let error as HTTPClientError: kind(of: error)
        case is ChannelError, is HTTPParserError: .lost
        default: .lost
        }
    }

    /// The connection failed with every address of the host.
    private static func kind(of error: NIOConnectionError) -> Kind {
        guard let last = error.connectionErrors.last else { return .unreachable }
        if let error = last.error as? IOError { return kind(of: error) }
        return .refused
    }

    private static func kind(of error: IOError) -> Kind {
        switch error.errnoCode {
        case ENETUNREACH, ENETDOWN, EHOSTUNREACH, EHOSTDOWN: .unreachable
        case ECONNREFUSED, ETIMEDOUT, EADDRNOTAVAIL: .refused
        default: .lost
        }
    }

    private static func kind(of error: HTTPClientError) -> Kind {
        switch error {
        case .cancelled: .cancelled
        case .connectTimeout, .getConnectionFromPoolTimeout: .refused
        case .tlsHandshakeTimeout: .untrusted
        case .deadlineExceeded, .readTimeout, .writeTimeout: .timedOut
        case .remoteConnectionClosed, .uncleanShutdown, .requestStreamCancelled: .lost
        case .invalidURL, .emptyHost, .emptyScheme, .traceRequestWithBody: .invalid
        default: .lost
        }
    }
}

internal import HTTPServing
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOSSL
internal import ServiceLifecycle

/// Serves clients until graceful shutdown, and then finishes the requests that are in progress.
struct GatewayHTTPServer: Service {
    let host: String
    /// The port; 0 selects a free one.
    var port: Int
    /// TLS; nil for plain HTTP, for example behind a proxy.
    let tls: TLSConfiguration?
    var responder: GatewayResponder
    /// The limits on connections.
    let connections: ConnectionPolicy
    let limits: ConnectionLimits
    let logger: Logger
    /// Called with the port once the server accepts connections.
    var onRunning: @Sendable (Int) -> Void = { _ in }

    func run() async throws {
        try await ClientServer(
            responder,
            server: HTTPServerBuilder { [connections, limits, tls] responder in
                let channel = GatewayChannel(responder: responder, connections: connections, limits: limits)
                return if let tls { try TLSChannel(channel, tlsConfiguration: tls) } else { channel }
            },
            host: host, port: port, backlog: ConnectionLimits.backlog, logger: logger, onRunning: onRunning
        ).run()
    }
}

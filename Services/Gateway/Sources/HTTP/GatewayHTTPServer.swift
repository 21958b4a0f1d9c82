internal import HTTPServing
internal import Hummingbird
internal import HummingbirdCore
internal import HummingbirdTLS
internal import Logging
internal import NIOCore
internal import NIOSSL
internal import ServiceLifecycle

/// Serves clients until graceful shutdown, and finishes the requests that are in progress.
struct GatewayHTTPServer: Service {
    let host: String
    /// The port; 0 chooses a free one.
    var port: Int
    /// TLS; nil for plain HTTP, for example behind a proxy.
    let tls: TLSConfiguration?
    var responder: GatewayResponder
    /// The limits of connections.
    let connections: ConnectionPolicy
    let limits: ConnectionLimits
    let logger: Logger
    /// Called with the port when the server accepts connections.
    var onRunning: @Sendable (Int) -> Void = { _ in }

    func run() async throws {
        var quiet = logger
        // Hummingbird might log the target of a request, which has tokens.
        quiet.logLevel = .warning
        let application = Application(
            responder: responder,
            server: HTTPServerBuilder { [connections, limits, tls] responder in
                let channel = GatewayChannel(responder: responder, connections: connections, limits: limits)
                return if let tls { try TLSChannel(channel, tlsConfiguration: tls) } else { channel }
            },
            configuration: .init(
                address: .hostname(host, port: port), serverName: "zonda", backlog: ConnectionLimits.backlog),
            onServerRunning: { [onRunning] channel in onRunning(channel.localAddress?.port ?? 0) },
            logger: quiet)
        try await application.run()
    }
}

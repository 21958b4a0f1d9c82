internal import HTTPServing
internal import Hummingbird
internal import Logging
internal import ServiceLifecycle

/// Serves uploads and downloads until graceful shutdown, and then finishes those that are in progress.
struct AssetHTTPServer: Service {
    let host: String
    /// The port; 0 selects a free one.
    var port: Int
    var responder: AssetResponder
    /// The maximum number of connections, and the rules for each.
    var connections: ConnectionPolicy
    let logger: Logger
    /// Called with the port once the server accepts connections.
    var onRunning: @Sendable (Int) -> Void = { _ in }

    func run() async throws {
        try await ClientServer(
            responder,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: ConnectionWatch.handlers(connections))),
            host: host, port: port, logger: logger, onRunning: onRunning
        ).run()
    }
}

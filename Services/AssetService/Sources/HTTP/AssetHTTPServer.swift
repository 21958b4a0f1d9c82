internal import HTTPServing
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import ServiceLifecycle

/// Serves uploads and downloads until graceful shutdown, which lets those under way finish.
struct AssetHTTPServer: Service {
    let host: String
    /// 0: one that is free.
    var port: Int
    var responder: AssetResponder
    /// How many connections there may be, and what each has to keep to.
    var connections: ConnectionPolicy
    let logger: Logger
    /// Called with the port when connections are accepted.
    var onRunning: @Sendable (Int) -> Void = { _ in }

    func run() async throws {
        var quiet = logger
        // What Hummingbird logs of a request might have its path.
        quiet.logLevel = .warning
        let application = Application(
            responder: responder,
            server: .http1(
                configuration: .init(
                    additionalChannelHandlers: ConnectionWatch.handlers(connections))),
            configuration: .init(address: .hostname(host, port: port), serverName: "zonda"),
            onServerRunning: { [onRunning] channel in onRunning(channel.localAddress?.port ?? 0) },
            logger: quiet)
        try await application.run()
    }
}

package import Hummingbird
package import HummingbirdCore
package import Logging
internal import NIOCore

/// An HTTP server that runs until graceful shutdown and then finishes the requests in progress.
package struct ClientServer<Responder: HTTPResponder>: Sendable
where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    private let responder: Responder
    private let server: HTTPServerBuilder
    private let configuration: ApplicationConfiguration
    private let logger: Logger
    private let onRunning: @Sendable (Int) -> Void

    /// Creates a server.
    ///
    /// - Parameters:
    ///   - server: builds the pipeline of each connection.
    ///   - port: the port; 0 chooses a free port.
    ///   - backlog: the number of connections that the kernel queues until they are accepted.
    ///   - onRunning: called with the port once the server accepts connections.
    package init(
        _ responder: Responder, server: HTTPServerBuilder, host: String, port: Int, backlog: Int = 256, logger: Logger,
        onRunning: @escaping @Sendable (Int) -> Void
    ) {
        self.responder = responder
        self.server = server
        configuration = ApplicationConfiguration(
            address: .hostname(host, port: port), serverName: "zonda", backlog: backlog)
        var quiet = logger
        // Hummingbird might log a request's target, which may contain tokens.
        quiet.logLevel = .warning
        self.logger = quiet
        self.onRunning = onRunning
    }

    /// Serves until graceful shutdown.
    package func run() async throws {
        let application = Application(
            responder: responder, server: server, configuration: configuration,
            onServerRunning: { [onRunning] channel in onRunning(channel.localAddress?.port ?? 0) }, logger: logger)
        try await application.run()
    }
}

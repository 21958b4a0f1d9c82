internal import Hummingbird
package import Logging
internal import ServiceLifecycle

/// An HTTP server for `/health/live`, `/health/ready` (which states why a service is not ready) and `/metrics`.
package struct HealthServer: Service {
    private let host: String
    private let port: Int
    private let metrics: ServiceMetrics
    private let reasonsNotReady: @Sendable () async -> [String]
    private let logger: Logger

    /// Creates a server that calls `reasonsNotReady` for each request to `/health/ready`. An empty list means that the
    /// service is ready.
    package init(
        host: String, port: Int, metrics: ServiceMetrics, logger: Logger,
        reasonsNotReady: @escaping @Sendable () async -> [String]
    ) {
        self.host = host
        self.port = port
        self.metrics = metrics
        self.logger = logger
        self.reasonsNotReady = reasonsNotReady
    }

    /// Serves until graceful shutdown.
    package func run() async throws {
        let router = Router()
        router.get("/health/live") { _, _ in "live\n" }
        router.get("/health/ready") { [reasonsNotReady] _, _ in
            let reasons = await reasonsNotReady()
            return EditedResponse(
                status: reasons.isEmpty ? .ok : .serviceUnavailable,
                response: reasons.isEmpty ? "ready\n" : reasons.joined(separator: "\n") + "\n")
        }
        router.get("/metrics") { [metrics] _, _ in
            EditedResponse(
                headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"], response: metrics.rendered())
        }
        var quiet = logger
        quiet.logLevel = .warning
        let application = Application(
            router: router,
            configuration: .init(address: .hostname(host, port: port), serverName: "zonda"),
            logger: quiet)
        try await application.run()
    }
}

internal import AMQPClient
package import Logging
package import PostgresClient
internal import ServiceLifecycle
package import ServiceRuntime
internal import UnixSignals

/// A host that runs one service in one process. It starts the health server first, then the database pool and its
/// migrations, and then the parts of the service.
package struct ServiceHost: Sendable {
    /// The maximum duration of a graceful shutdown. Requests that are still unanswered at the end of this time, because
    /// the database is unreachable, are returned to the broker.
    private static let maxShutdown = Duration.seconds(8)

    /// The logger for the service's parts.
    package let logger: Logger
    /// The metrics registry for the service's parts.
    package let metrics = ServiceMetrics()
    /// The request metrics for the service's parts.
    package let requestMetrics: RequestMetrics
    /// The rate limits for the service's parts.
    package let throttle: Throttle
    /// The producer check for the service's parts. Nil allows every request from a user that is permitted to publish.
    package let producers: Producers?
    private let configuration: HostConfiguration
    private let migrator: PostgresMigrator

    /// Creates a host without starting anything.
    package init(_ configuration: HostConfiguration, migrator: PostgresMigrator, logger: Logger) {
        self.configuration = configuration
        self.migrator = migrator
        self.logger = logger
        requestMetrics = RequestMetrics(metrics)
        throttle = Throttle(configuration.throttle, metrics: metrics)
        producers = Producers(configuration.producers, metrics: metrics, logger: logger)
    }

    /// The retry policy for requests while the database is unreachable.
    package var retry: DatabaseRetry { DatabaseRetry(logger: logger, metrics: requestMetrics) }

    /// Runs until SIGTERM or SIGINT, and then finishes the requests that were delivered to the service.
    ///
    /// Health and the database start first, so that `/health/ready` can report what the service is waiting for.
    /// Consumers start last and stop first. `prepare` is retried while the database is unavailable.
    package func run(prepare: @escaping @Sendable (PostgresPool) async throws -> ServiceParts) async throws {
        let pool = PostgresPool(configuration: configuration.postgres, logger: logger)
        let readiness = Readiness(pool: pool)
        ProcessMetrics.add(to: metrics)
        HostMetrics.add(pool, named: HostMetrics.mainPool, to: metrics)
        let server = HealthServer(
            host: configuration.healthHost, port: configuration.healthPort, metrics: metrics, logger: logger,
            reasonsNotReady: { await readiness.reasonsNotReady() })
        // The health server has its own group, so that it can be shut down gracefully: a cancelled server would log an
        // error.
        let health = ServiceGroup(services: [server], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            group.addTask { try await health.run() }
            group.addTask {
                try await migrate(pool, readiness)
                let parts = try await retry.run(deadline: nil, failingWith: SettingError.self) {
                    try await prepare(pool)
                }
                readiness.serve(parts)
                HostMetrics.add(parts.clients, to: metrics)
                for (name, pool) in parts.otherPools { HostMetrics.add(pool, named: name, to: metrics) }
                logger.info("serving", metadata: ["broker": "\(configuration.amqp)"])
                try await serve(parts, readiness)
                await health.triggerGracefulShutdown()
                logger.info("stopped")
            }
            // An error in any task ends all tasks. If there is no error, the health server and the service end first,
            // and then the pool is cancelled.
            try await group.next()
            try await group.next()
            group.cancelAll()
        }
    }

    /// Applies the migrations. Waits until the database is provisioned and other services have created all tables that
    /// a migration needs.
    private func migrate(_ pool: PostgresPool, _ readiness: Readiness) async throws {
        while true {
            do {
                try await retry.run(deadline: nil, failingWith: PostgresMigrationError.self) {
                    _ = try await migrator.apply(on: pool, logger: logger)
                }
                return
            } catch let error as PostgresMigrationError
                where error.reason == .tableMissing || error.reason == .notProvisioned
            {
                readiness.prepare("\(error)")
                logger.notice("the schema cannot be migrated yet; waiting", metadata: ["reason": "\(error)"])
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    private func serve(_ parts: ServiceParts, _ readiness: Readiness) async throws {
        let watch = QueueWatch(
            parts.clients.flatMap(\.client.queues), configuration: configuration.amqp, metrics: metrics)
        var group = ServiceGroupConfiguration(
            services: ([watch] + parts.services + [readiness]).map {
                ServiceGroupConfiguration.ServiceConfiguration(service: $0)
            },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = Self.maxShutdown
        try await ServiceGroup(configuration: group).run()
    }
}

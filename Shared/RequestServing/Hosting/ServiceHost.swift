package import Logging
package import PostgresClient
internal import ServiceLifecycle
package import ServiceRuntime
internal import UnixSignals

/// Runs one service in one process: health first, then the database and its migrations, then the service's parts.
package struct ServiceHost: Sendable {
    /// What is held longer than this after SIGTERM, because the database is away, goes back to the broker.
    private static let maxShutdown = Duration.seconds(8)

    /// For the service's parts.
    package let logger: Logger
    /// For the service's parts.
    package let metrics = ServiceMetrics()
    /// For the service's parts.
    package let requestMetrics: RequestMetrics
    /// For the service's parts.
    package let throttle: Throttle
    /// For the service's parts; nil: whoever may publish may ask.
    package let producers: Producers?
    private let configuration: HostConfiguration
    private let migrator: PostgresMigrator

    /// A host; nothing is started.
    package init(_ configuration: HostConfiguration, migrator: PostgresMigrator, logger: Logger) {
        self.configuration = configuration
        self.migrator = migrator
        self.logger = logger
        requestMetrics = RequestMetrics(metrics)
        throttle = Throttle(configuration.throttle, metrics: metrics)
        producers = Producers(configuration.producers, metrics: metrics, logger: logger)
    }

    /// What requests do while the database is away.
    package var trouble: DatabaseTrouble { DatabaseTrouble(logger: logger, metrics: requestMetrics) }

    /// Runs until SIGTERM or SIGINT, then finishes what it holds.
    ///
    /// Health and database come up first, so that `/health/ready` tells what is being waited for; consumers start
    /// last and stop first. `prepare` is tried again while the database is in trouble.
    package func run(prepare: @escaping @Sendable (PostgresPool) async throws -> ServiceParts) async throws {
        let pool = PostgresPool(configuration: configuration.postgres, logger: logger)
        let readiness = Readiness(pool: pool)
        ProcessMetrics.add(to: metrics)
        HostMetrics.add(pool, named: HostMetrics.mainPool, to: metrics)
        let server = HealthServer(
            host: configuration.healthHost, port: configuration.healthPort, metrics: metrics, logger: logger,
            reasonsNotReady: { await readiness.reasonsNotReady() })
        // A group of its own: asked to finish it ends quietly, where a cancelled server logs an error.
        let health = ServiceGroup(services: [server], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            group.addTask { try await health.run() }
            group.addTask {
                try await migrate(pool, readiness)
                let parts = try await trouble.outlast(deadline: nil, failingWith: SettingError.self) {
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
            // An error of one ends all; without any, the pool goes when health and work have ended.
            try await group.next()
            try await group.next()
            group.cancelAll()
        }
    }

    /// Waits for another service's tables where a migration needs them, and for whoever prepares the database.
    private func migrate(_ pool: PostgresPool, _ readiness: Readiness) async throws {
        while true {
            do {
                try await trouble.outlast(deadline: nil, failingWith: PostgresMigrationError.self) {
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
            parts.clients.flatMap(\.queues), configuration: configuration.amqp, metrics: metrics)
        var group = ServiceGroupConfiguration(
            services: ([watch] + parts.services + [readiness]).map {
                ServiceGroupConfiguration.ServiceConfiguration(service: $0)
            },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = Self.maxShutdown
        try await ServiceGroup(configuration: group).run()
    }
}

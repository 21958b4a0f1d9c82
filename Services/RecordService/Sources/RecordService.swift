internal import AMQPClient
internal import Logging
internal import PostgresClient
internal import ServiceLifecycle
internal import ServiceMessages
internal import ServiceRuntime
internal import Synchronization
internal import UnixSignals

/// The record service of one process.
package struct RecordService: Sendable {
    private let configuration: RecordServiceConfiguration
    private let logger = Logger(label: "zonda.record")
    private let metrics = ServiceMetrics()

    /// What is held longer than this after SIGTERM, because the database is away, goes back to the broker.
    private static let maxShutdown = Duration.seconds(8)

    /// A service with those settings; nothing is started.
    package init(_ configuration: RecordServiceConfiguration) {
        self.configuration = configuration
    }

    /// Runs until SIGTERM or SIGINT, then finishes what it holds.
    ///
    /// Health and database come up first, so that `/health/ready` tells what is being waited for; consumers start
    /// last and stop first.
    package func run() async throws {
        let pool = PostgresPool(configuration: configuration.postgres, logger: logger)
        let readiness = Readiness(pool: pool)
        let server = HealthServer(
            host: configuration.healthHost, port: configuration.healthPort, metrics: metrics, logger: logger,
            reasonsNotReady: { await readiness.reasonsNotReady() })
        // A group of its own: asked to finish it ends quietly, where a cancelled server logs an error.
        let health = ServiceGroup(services: [server], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await pool.run() }
            group.addTask { try await health.run() }
            group.addTask {
                let parts = try await prepare(pool: pool)
                readiness.serve(parts)
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

    private func prepare(pool: PostgresPool) async throws -> RecordServiceParts {
        let trouble = DatabaseTrouble(logger: logger, metrics: metrics)
        let partitions = TimePartitions(pool: pool, logger: logger)
        let incarnation = try await trouble.outlast(deadline: nil) {
            _ = try await RecordMigrations.migrator.apply(on: pool, logger: logger)
            try await partitions.runOnce()
            return try await RecordStore.readIncarnation(from: pool)
        }
        return RecordServiceParts(
            configuration, pool: pool, incarnation: incarnation, trouble: trouble, partitions: partitions,
            metrics: metrics, logger: logger)
    }

    private func serve(_ parts: RecordServiceParts, _ readiness: Readiness) async throws {
        let services: [any Service] = [
            parts.publisher, parts.work, parts.maintenance, parts.readConsumer, parts.writeConsumer, readiness,
        ]
        var group = ServiceGroupConfiguration(
            services: services.map { ServiceGroupConfiguration.ServiceConfiguration(service: $0) },
            gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = Self.maxShutdown
        try await ServiceGroup(configuration: group).run()
    }
}

/// What `/health/ready` says. As the last service of the group it is the first to hear that the end has come.
private final class Readiness: Service {
    private enum State {
        case preparing
        case serving(RecordServiceParts)
        case stopping
    }

    private let pool: PostgresPool
    private let state = Mutex(State.preparing)

    init(pool: PostgresPool) { self.pool = pool }

    func serve(_ parts: RecordServiceParts) { state.withLock { $0 = .serving(parts) } }

    func run() async throws {
        try? await gracefulShutdown()
        state.withLock { $0 = .stopping }
    }

    func reasonsNotReady() async -> [String] {
        switch state.withLock({ $0 }) {
        case .preparing: return ["the database is being prepared"]
        case .stopping: return ["stopping"]
        case .serving(let parts):
            var reasons: [String] = []
            if !parts.publisher.isConnected { reasons.append("the publisher is not connected to the broker") }
            if !parts.writeConsumer.isConnected || !parts.readConsumer.isConnected {
                reasons.append("a consumer is not connected to the broker")
            }
            if !(await databaseAnswers()) { reasons.append("the database cannot be reached") }
            return reasons
        }
    }

    /// Asks the database, but not for long: who asks for readiness has a time-out of its own.
    private func databaseAnswers() async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { [pool] in
                (try? await pool.withConnection { try await $0.query("select 1") }) != nil
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(2))
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }
}

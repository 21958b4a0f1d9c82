internal import Logging
package import PostgresClient
internal import RequestServing
package import ServiceRuntime
internal import SubscriptionStorage

/// The subscription service. It stores subscriptions and delivers every change as notifications.
package enum SubscriptionService: ServiceProgram {
    package static let name = "zonda-subscription"
    package static let abstract = "Zonda's subscription service: subscriptions and notifications."

    package static func migrator(_ values: SettingValues) -> PostgresMigrator { SubscriptionMigrations.migrator }

    package static var settings: [any DeclaredSetting] { SubscriptionServiceConfiguration.settings }

    package static func configuration(_ settings: ServiceSettings) throws -> SubscriptionServiceConfiguration {
        try SubscriptionServiceConfiguration(settings)
    }

    package static func run(_ configuration: SubscriptionServiceConfiguration) async throws {
        let host = ServiceHost(
            configuration.host, migrator: SubscriptionMigrations.migrator, logger: Logger(label: "zonda.subscription"))
        try await host.run { pool in
            let partitions = TimePartitions.subscription(pool: pool, logger: host.logger)
            try await partitions.runOnce()
            // Moments must be checked before the first change is matched.
            let moments = MomentCheck(pool: pool, metrics: SubscriptionMetrics(host.metrics), logger: host.logger)
            try await moments.runOnce()
            return SubscriptionServiceParts(
                configuration, pool: pool, partitions: partitions, moments: moments, host: host
            ).parts
        }
    }
}

internal import Logging
package import PostgresClient
package import RequestServing
package import ServiceRuntime

/// The subscription service.
package enum SubscriptionService: ServiceProgram {
    package static let name = "zonda-subscription"
    package static let abstract = "Zonda's subscription service."
    package static var migrator: PostgresMigrator { SubscriptionMigrations.migrator }

    package static func configuration(_ settings: ServiceSettings) throws -> SubscriptionServiceConfiguration {
        try SubscriptionServiceConfiguration(settings)
    }

    package static func run(_ configuration: SubscriptionServiceConfiguration) async throws {
        let host = ServiceHost(configuration.host, migrator: migrator, logger: Logger(label: "zonda.subscription"))
        try await host.run { _ in ServiceParts(services: []) { [] } }
    }
}

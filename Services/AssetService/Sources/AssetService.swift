internal import Logging
package import PostgresClient
package import RequestServing
package import ServiceRuntime

/// The asset service.
package enum AssetService: ServiceProgram {
    package static let name = "zonda-asset"
    package static let abstract = "Zonda's asset service."
    package static var migrator: PostgresMigrator { AssetMigrations.migrator }

    package static func configuration(_ settings: ServiceSettings) throws -> AssetServiceConfiguration {
        try AssetServiceConfiguration(settings)
    }

    package static func run(_ configuration: AssetServiceConfiguration) async throws {
        let host = ServiceHost(configuration.host, migrator: migrator, logger: Logger(label: "zonda.asset"))
        try await host.run { _ in ServiceParts(services: []) { [] } }
    }
}

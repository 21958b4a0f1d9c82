internal import GatewayStorage
internal import Logging
package import PostgresClient
internal import RequestServing
package import ServiceRuntime

/// The gateway: CloudKit Web Services over HTTP. It authenticates callers and forwards their requests to the services.
package enum Gateway: ServiceProgram {
    package static let name = "zonda-gateway"
    package static let abstract = "Zonda's gateway: CloudKit Web Services, sign-in, and notifications over HTTP."

    package static func migrator(_ values: SettingValues) -> PostgresMigrator { AccountMigrations.migrator }

    package static var settings: [any DeclaredSetting] { GatewayConfiguration.settings }

    package static func configuration(_ settings: ServiceSettings) throws -> GatewayConfiguration {
        try GatewayConfiguration(settings)
    }

    package static func run(_ configuration: GatewayConfiguration) async throws {
        let host = ServiceHost(
            configuration.host, migrator: AccountMigrations.migrator, logger: Logger(label: "zonda.gateway"))
        try await host.run { pool in
            // Operators' writes require the partitions to exist.
            try await TimePartitions.account(pool: pool, logger: host.logger).runOnce()
            return GatewayParts(configuration, pool: pool, host: host).parts
        }
    }
}

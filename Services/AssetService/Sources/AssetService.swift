internal import AssetStorage
internal import BlobStorage
internal import Logging
internal import NIOCore
package import PostgresClient
internal import RequestServing
package import ServiceRuntime

/// The asset service: upload, download and deletion of the bytes that records refer to.
package enum AssetService: ServiceProgram {
    package static let name = "zonda-asset"
    package static let abstract = "Zonda's asset service: upload, download and delayed deletion of assets."

    package static let migrationSettings: [any DeclaredSetting] = [AssetSettings().recordRole]

    package static func migrator(_ values: SettingValues) -> PostgresMigrator {
        AssetMigrations.migrator(recordRole: values[AssetSettings().recordRole])
    }

    package static var settings: [any DeclaredSetting] { AssetServiceConfiguration.settings }

    package static func configuration(_ settings: ServiceSettings) throws -> AssetServiceConfiguration {
        try AssetServiceConfiguration(settings)
    }

    package static func run(_ configuration: AssetServiceConfiguration) async throws {
        NIOSingletons.blockingPoolThreadCountSuggestion = BlobThreads.count
        try await configuration.store.withStore { store in
            let host = ServiceHost(
                configuration.host, migrator: AssetMigrations.migrator(recordRole: configuration.recordRole),
                logger: Logger(label: "zonda.asset"))
            try await host.run { pool in
                try await StoreOwnership(
                    table: StoreTable(pool: pool), store: store, variable: configuration.store.variable
                ).check()
                return AssetServiceParts(configuration, store: store, pool: pool, host: host).parts
            }
        }
    }
}

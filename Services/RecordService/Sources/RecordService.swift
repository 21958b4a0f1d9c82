internal import Logging
package import PostgresClient
internal import RecordStorage
internal import RequestServing
package import ServiceRuntime

/// The record service: containers, zones, records and change feeds.
package enum RecordService: ServiceProgram {
    package static let name = "zonda-record"
    package static let abstract = "Zonda's record service: containers, zones, records and change feeds."

    package static func migrator(_ values: SettingValues) -> PostgresMigrator { RecordMigrations.migrator }

    package static var settings: [any DeclaredSetting] { RecordServiceConfiguration.settings }

    package static func configuration(_ settings: ServiceSettings) throws -> RecordServiceConfiguration {
        try RecordServiceConfiguration(settings)
    }

    package static func run(_ configuration: RecordServiceConfiguration) async throws {
        let host = ServiceHost(
            configuration.host, migrator: RecordMigrations.migrator, logger: Logger(label: "zonda.record"))
        try await host.run { pool in
            let partitions = TimePartitions.record(pool: pool, logger: host.logger)
            try await partitions.runOnce()
            let watch = StoreWatch(pool: pool, metrics: host.metrics, logger: host.logger)
            try await watch.runOnce()
            return RecordServiceParts(
                configuration, pool: pool, watch: watch, partitions: partitions, host: host
            ).parts
        }
    }
}

package import ArgumentParser
internal import AssetStorage
internal import BlobStorage
internal import Logging
internal import PostgresClient
internal import RequestServing
internal import ServiceRuntime

/// `zonda-asset adopt`.
package struct AdoptCommand: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "adopt",
            abstract: "Make the blob store belong to this database.",
            discussion: """
                Use this command after a restore, or after the database has been moved or copied. From then on, services \
                that use the same store with another database are not ready, and remove nothing from the store.
                """)
    }

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Settings, given as the options of 'zonda-asset serve'.", valueName: "settings"))
    var arguments: [String] = []

    package init() {}

    package func run() async throws {
        let configuration = try AssetService.configuration(
            ServiceSettings(
                AssetService.settings, options: try SettingOptions(arguments, of: AssetService.settings)))
        let pool = PostgresPool(configuration: configuration.host.postgres, logger: Logger(label: AssetService.name))
        try await configuration.store.withStore { store in
            let ownership = StoreOwnership(
                table: StoreTable(pool: pool), store: store, variable: configuration.store.variable)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await pool.run() }
                let epoch = try await ownership.adopt()
                print("the store now belongs to this database (epoch \(epoch))")
                group.cancelAll()
            }
        }
    }
}

package import ArgumentParser
internal import Logging
internal import PostgresClient
internal import RequestServing
internal import ServiceRuntime

/// `zonda-asset adopt`.
package struct AdoptCommand: AsyncParsableCommand {
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "adopt",
            abstract: "Make the store of the blobs this database's own, and end.",
            discussion: """
                After a restore, or when the database was moved or copied. Other databases with the same store then remove \
                nothing from it, and their services are not ready.
                """)
    }

    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp("Settings as options, as of 'zonda-asset serve'.", valueName: "settings"))
    var arguments: [String] = []

    package init() {}

    package func run() async throws {
        let configuration = try AssetService.configuration(
            ServiceSettings(
                AssetService.settings, options: try SettingOptions(arguments, of: AssetService.settings)))
        let pool = PostgresPool(configuration: configuration.host.postgres, logger: Logger(label: AssetService.name))
        try await configuration.store.withStore { store in
            let identity = StoreIdentity(pool: pool, store: store, variable: configuration.store.variable)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await pool.run() }
                let epoch = try await identity.adopt()
                print("the store is this database's own (epoch \(epoch))")
                group.cancelAll()
            }
        }
    }
}

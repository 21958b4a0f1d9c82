package import ArgumentParser
internal import Logging
package import PostgresClient
internal import ServiceMessages
package import ServiceRuntime

/// The interface between a service and its executable.
package protocol ServiceProgram: Sendable {
    /// The service's validated configuration.
    associatedtype Configuration: HostedConfiguration
    /// The name of the executable.
    static var name: String { get }
    /// The description of the executable, in one line.
    static var abstract: String { get }
    /// The service's own settings on which its database schema depends.
    static var migrationSettings: [any DeclaredSetting] { get }
    /// Returns the migrator of the service's database schema for the values of ``migrationSettings``.
    static func migrator(_ values: SettingValues) -> PostgresMigrator
    /// All settings of the service.
    static var settings: [any DeclaredSetting] { get }
    /// Reads and validates the settings.
    ///
    /// - Throws: a ``SettingError`` that names every invalid setting.
    static func configuration(_ settings: ServiceSettings) throws -> Configuration
    /// Serves until SIGTERM.
    static func run(_ configuration: Configuration) async throws
}

extension ServiceProgram {
    /// By default, no settings.
    package static var migrationSettings: [any DeclaredSetting] { [] }
}

/// The subcommands of each service's executable: `serve`, `migrate`, `check`, `settings`, `health`.
package enum ServiceCommands<Program: ServiceProgram> {
    /// The configuration of the root command.
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Program.name, abstract: Program.abstract,
            discussion: "'\(Program.name) settings' lists the settings and describes how to set them.",
            subcommands: [Serve.self, Migrate.self, Check.self, Settings.self, Health.self],
            defaultSubcommand: Serve.self)
    }

    /// The subcommand `serve`.
    package struct Serve: AsyncParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(commandName: "serve", abstract: "Serve until SIGTERM.")
        }

        @OptionGroup var arguments: SettingArguments<Program>

        package init() {}

        package func run() async throws {
            ProcessMemory.configureHeaps()
            try await WrongSettings.end {
                let configuration = try Program.configuration(try arguments.settings())
                let host = configuration.host
                ServiceLog.bootstrap(
                    level: host.logLevel, format: host.logFormat, metadataProvider: WorkOrigin.metadataProvider)
                try await Program.run(configuration)
            }
        }
    }

    /// The subcommand `migrate`.
    package struct Migrate: AsyncParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(commandName: "migrate", abstract: "Bring the database schema up to date and exit.")
        }

        @OptionGroup var arguments: SettingArguments<Program>

        package init() {}

        package func run() async throws {
            try await WrongSettings.end {
                let values = try arguments.settings().read(
                    HostConfiguration.migrationSettings + Program.migrationSettings)
                let log = HostConfiguration.log(values)
                ServiceLog.bootstrap(
                    level: log.level, format: log.format, metadataProvider: WorkOrigin.metadataProvider)
                let logger = Logger(label: Program.name)
                let pool = PostgresPool(configuration: HostConfiguration.database(values), logger: logger)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await pool.run() }
                    _ = try await Program.migrator(values).apply(on: pool, logger: logger)
                    group.cancelAll()
                }
            }
        }
    }

    /// The subcommand `check`.
    package struct Check: AsyncParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(commandName: "check", abstract: "Check the settings and exit.")
        }

        @OptionGroup var arguments: SettingArguments<Program>

        package init() {}

        package func run() async throws {
            try await WrongSettings.end { _ = try Program.configuration(try arguments.settings()) }
            print("the settings are valid")
        }
    }

    /// The subcommand `settings`.
    package struct Settings: ParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(commandName: "settings", abstract: "Print the settings reference (Markdown).")
        }

        package init() {}

        package func run() {
            for line in SettingTable.head + Program.settings.map(SettingTable.row) { print(line) }
        }
    }
}

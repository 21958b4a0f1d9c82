package import ArgumentParser
internal import Logging
package import PostgresClient
internal import ServiceMessages
package import ServiceRuntime

/// A service as its executable sees it.
package protocol ServiceProgram: Sendable {
    /// The settings, read and checked.
    associatedtype Configuration: HostedConfiguration
    /// The executable's name.
    static var name: String { get }
    /// What it does, in a line.
    static var abstract: String { get }
    /// Its database schema.
    ///
    /// - Throws: ``SettingError``.
    static func migrator(_ settings: ServiceSettings) throws -> PostgresMigrator
    /// All its settings.
    static var settings: [any DeclaredSetting] { get }
    /// Reads and checks the settings.
    ///
    /// - Throws: ``SettingError`` naming all that are wrong.
    static func configuration(_ settings: ServiceSettings) throws -> Configuration
    /// Serves until SIGTERM.
    static func run(_ configuration: Configuration) async throws
}

/// The subcommands of every service's executable: `serve`, `migrate`, `check`, `settings`.
package enum ServiceCommands<Program: ServiceProgram> {
    /// The configuration of the root command.
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Program.name, abstract: Program.abstract,
            discussion: "'\(Program.name) settings' lists the settings and where they are set.",
            subcommands: [Serve.self, Migrate.self, Check.self, Settings.self, Health.self],
            defaultSubcommand: Serve.self)
    }

    /// `serve`.
    package struct Serve: AsyncParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(commandName: "serve", abstract: "Serve until SIGTERM.")
        }

        @OptionGroup var arguments: SettingArguments<Program>

        package init() {}

        package func run() async throws {
            ProcessMemory.shareHeaps()
            try await WrongSettings.end {
                let settings = try arguments.settings()
                let configuration = try Program.configuration(settings)
                try ServiceLog.bootstrap(settings)
                try await Program.run(configuration)
            }
        }
    }

    /// `migrate`.
    package struct Migrate: AsyncParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(commandName: "migrate", abstract: "Bring the database schema up to date and end.")
        }

        @OptionGroup var arguments: SettingArguments<Program>

        package init() {}

        package func run() async throws {
            try await WrongSettings.end {
                let settings = try arguments.settings()
                try ServiceLog.bootstrap(settings)
                let logger = Logger(label: Program.name)
                let pool = PostgresPool(configuration: try HostConfiguration.database(settings), logger: logger)
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await pool.run() }
                    _ = try await Program.migrator(settings).apply(on: pool, logger: logger)
                    group.cancelAll()
                }
            }
        }
    }

    /// `check`.
    package struct Check: AsyncParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(commandName: "check", abstract: "Check the settings and end.")
        }

        @OptionGroup var arguments: SettingArguments<Program>

        package init() {}

        package func run() async throws {
            try await WrongSettings.end { _ = try Program.configuration(try arguments.settings()) }
            print("the settings are good")
        }
    }

    /// `settings`.
    package struct Settings: ParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(commandName: "settings", abstract: "Print the reference of the settings (Markdown).")
        }

        package init() {}

        package func run() {
            for line in SettingTable.head + Program.settings.map(SettingTable.row) { print(line) }
        }
    }
}

extension ServiceLog {
    fileprivate static func bootstrap(_ settings: ServiceSettings) throws(SettingError) {
        bootstrap(
            level: try HostConfiguration.logLevel(settings), format: try HostConfiguration.logFormat(settings),
            metadataProvider: WorkOrigin.metadataProvider)
    }
}

package import ArgumentParser
internal import Logging
package import PostgresClient
package import ServiceRuntime

/// A service as its executable sees it.
package protocol ServiceProgram: Sendable {
    /// The settings, read and checked.
    associatedtype Configuration: Sendable
    /// The executable's name.
    static var name: String { get }
    /// What it does, in a line.
    static var abstract: String { get }
    /// Its database schema.
    ///
    /// - Throws: ``SettingError`` naming the variable.
    static func migrator(_ settings: ServiceSettings) throws -> PostgresMigrator
    /// Reads and checks the settings.
    ///
    /// - Throws: ``SettingError`` naming the variable.
    static func configuration(_ settings: ServiceSettings) throws -> Configuration
    /// Serves until SIGTERM.
    static func run(_ configuration: Configuration) async throws
}

/// The subcommands of every service's executable: `serve`, `migrate`, `check`.
package enum ServiceCommands<Program: ServiceProgram> {
    /// The configuration of the root command.
    package static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Program.name, abstract: Program.abstract,
            discussion: "Settings are environment variables: see deploy/docs.",
            subcommands: [Serve.self, Migrate.self, Check.self], defaultSubcommand: Serve.self)
    }

    /// `serve`.
    package struct Serve: AsyncParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(commandName: "serve", abstract: "Serve until SIGTERM.")
        }

        package init() {}

        package func run() async throws {
            ProcessMemory.shareHeaps()
            let settings = ServiceSettings()
            let configuration = try Program.configuration(settings)
            ServiceLog.bootstrap(level: try HostConfiguration.logLevel(settings))
            try await Program.run(configuration)
        }
    }

    /// `migrate`.
    package struct Migrate: AsyncParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(commandName: "migrate", abstract: "Bring the database schema up to date and end.")
        }

        package init() {}

        package func run() async throws {
            let settings = ServiceSettings()
            ServiceLog.bootstrap(level: try HostConfiguration.logLevel(settings))
            let logger = Logger(label: Program.name)
            let pool = PostgresPool(configuration: try HostConfiguration.database(settings), logger: logger)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await pool.run() }
                _ = try await Program.migrator(settings).apply(on: pool, logger: logger)
                group.cancelAll()
            }
        }
    }

    /// `check`.
    package struct Check: AsyncParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(commandName: "check", abstract: "Check the settings and end.")
        }

        package init() {}

        package func run() async throws {
            _ = try Program.configuration(ServiceSettings())
            print("the settings are good")
        }
    }
}

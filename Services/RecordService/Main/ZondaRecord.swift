import ArgumentParser
import Logging
import PostgresClient
import RecordService
import ServiceRuntime

@main
struct ZondaRecord: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "zonda-record",
        abstract: "Zonda's record service: containers, zones, records and change feeds.",
        discussion: "Settings are environment variables: see deploy/docs.",
        subcommands: [Serve.self, Migrate.self, Check.self], defaultSubcommand: Serve.self)

    struct Serve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Serve until SIGTERM.")

        func run() async throws {
            ProcessMemory.shareHeaps()
            let configuration = try RecordServiceConfiguration(ServiceSettings())
            ServiceLog.bootstrap(level: configuration.logLevel)
            try await RecordService(configuration).run()
        }
    }

    struct Migrate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Bring the database schema up to date and end.")

        func run() async throws {
            let settings = ServiceSettings()
            ServiceLog.bootstrap(level: try RecordServiceConfiguration.logLevel(settings))
            let logger = Logger(label: "zonda.record")
            let pool = PostgresPool(configuration: try RecordServiceConfiguration.database(settings), logger: logger)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await pool.run() }
                _ = try await RecordMigrations.migrator.apply(on: pool, logger: logger)
                group.cancelAll()
            }
        }
    }

    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Check the settings and end.")

        func run() throws {
            _ = try RecordServiceConfiguration(ServiceSettings())
            print("the settings are good")
        }
    }
}

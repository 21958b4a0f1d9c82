package import ArgumentParser
internal import ServiceRuntime

extension ServiceCommands {
    /// The subcommand `health`.
    package struct Health: AsyncParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "health",
                abstract: "Check whether the service running here with these settings is ready; exit with 0 if so.",
                discussion: "Use this command for health checks in a container that has no other program to run them.")
        }

        @OptionGroup var arguments: SettingArguments<Program>

        package init() {}

        package func run() async throws {
            try await WrongSettings.end {
                let host = try Program.configuration(try arguments.settings()).host
                if let reason = HealthProbe.reasonNotReady(host: host.healthHost, port: host.healthPort) {
                    print(reason)
                    throw ExitCode.failure
                }
            }
            print("ready")
        }
    }
}

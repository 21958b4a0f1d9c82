package import ArgumentParser
internal import ServiceRuntime

extension ServiceCommands {
    /// The subcommand `health`.
    package struct Health: AsyncParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "health",
                abstract: "Ask the service that runs here with the same settings whether it is ready; exit 0 if so.",
                discussion: "For a container, in which there is no other program that could ask.")
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

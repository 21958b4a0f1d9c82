package import ArgumentParser
internal import ServiceRuntime

extension ServiceCommands {
    /// `health`: for a container, in which there is no other program that could ask.
    package struct Health: AsyncParsableCommand {
        package static var configuration: CommandConfiguration {
            CommandConfiguration(
                commandName: "health",
                abstract: "Ask the service that runs here with the same settings whether it is ready; exit 0 if so.")
        }

        package init() {}

        package func run() async throws {
            let host = try Program.configuration(ServiceSettings()).host
            if let reason = HealthProbe.reasonNotReady(host: host.healthHost, port: host.healthPort) {
                print(reason)
                throw ExitCode.failure
            }
            print("ready")
        }
    }
}

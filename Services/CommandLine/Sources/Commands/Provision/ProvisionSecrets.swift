import AMQPClient
import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import PostgresClient
import ServiceMessages

/// `zonda provision secrets`.
struct ProvisionSecrets: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "secrets",
        abstract: "Make the passwords and signing keys that are missing in a folder.",
        discussion: """
            DIR gets a folder for each service (its ZONDA_SECRETS_DIRECTORY), one for the operator with the
            administrators' passwords, rabbitmq/definitions.json, which RabbitMQ loads by its setting
            load_definitions, and producers/producers.json, a first file for ZONDA_PRODUCERS.

            EXAMPLE
              zonda provision secrets /run/zonda-secrets
            """)

    @OptionGroup var options: ProvisionOptions
    @OptionGroup var log: RetentionOptions

    @Option(help: "The virtual host in the broker's definitions.")
    var vhost = "/"

    @Argument(help: "The folder.")
    var directory: String

    func run() async throws {
        try await CommandFailure.reporting {
            let secrets = DeploymentSecrets(path: directory)
            try secrets.fill()
            try secrets.write(
                BrokerDefinitions(
                    of: options.name, virtualHost: vhost, secrets: secrets, retention: log.retention))
            try secrets.writeProducers(of: options.name)
        }
    }
}

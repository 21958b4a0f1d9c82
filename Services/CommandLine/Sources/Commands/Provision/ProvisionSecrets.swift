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
        abstract: "Create the passwords and signing keys that are missing from a folder.",
        discussion: """
            Creates a subfolder for each service (its ZONDA_SECRETS_DIRECTORY); a subfolder for the operator, with \
            the administrators' passwords; rabbitmq/definitions.json, for RabbitMQ's load_definitions setting; and \
            producers/producers.json, an initial file for ZONDA_PRODUCERS.

            EXAMPLE
              zonda provision secrets /run/zonda-secrets
            """)

    @OptionGroup var options: ProvisionOptions
    @OptionGroup var log: RetentionOptions

    @Option(help: "The virtual host in the broker's definitions.")
    var vhost = "/"

    @Argument(help: "The secrets folder.")
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

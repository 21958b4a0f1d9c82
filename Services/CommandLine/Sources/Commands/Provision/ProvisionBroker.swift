import AMQPClient
import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import PostgresClient
import ServiceMessages

/// `zonda provision broker`.
struct ProvisionBroker: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "broker",
        abstract: "Print the broker's definitions: users, rights, exchanges, queues, bindings and policies.",
        discussion: """
            The output is for `rabbitmqctl import_definitions` or RabbitMQ's management page. It contains only hashes \
            of the passwords.

            EXAMPLE
              zonda provision broker --secrets DIR > definitions.json
            """)

    @OptionGroup var options: ProvisionOptions
    @OptionGroup var log: RetentionOptions

    @Option(help: "The virtual host.")
    var vhost = "/"

    @Option(help: "The secrets folder.")
    var secrets: String

    func run() async throws {
        try await CommandFailure.reporting {
            let definitions = try BrokerDefinitions(
                of: options.name, virtualHost: vhost, secrets: DeploymentSecrets(path: secrets),
                retention: log.retention)
            Console.print(definitions.json.text)
        }
    }
}

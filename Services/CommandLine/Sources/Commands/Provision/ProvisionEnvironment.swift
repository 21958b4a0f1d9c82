import AMQPClient
import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import PostgresClient
import ServiceMessages

/// `zonda provision environment`.
struct ProvisionEnvironment: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "environment",
        abstract: "Print the environment variables that a shell needs to act as a deployment's operator.",
        discussion: """
            The output contains the operator's password.

            EXAMPLE
              eval "$(zonda provision environment --secrets DIR)"
            """)

    @OptionGroup var options: ProvisionOptions

    @Option(help: "The secrets folder.")
    var secrets: String

    @Option(help: "The broker's host.")
    var host = "127.0.0.1"

    @Option(help: "The broker's port.")
    var port = 5672

    @Option(help: "The port of RabbitMQ's management API.")
    var managementPort = 15672

    @Option(help: "The virtual host.")
    var vhost = "/"

    func run() async throws {
        try await CommandFailure.reporting {
            let password = try DeploymentSecrets(path: secrets).password(for: .amqp, of: nil)
            let path = vhost.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? vhost
            Console.print(
                """
                export ZONDA_AMQP_URL=amqp://\(options.name):\(password)@\(host):\(port)/\(path)
                export ZONDA_RABBITMQ_MANAGEMENT_URL=http://\(host):\(managementPort)
                export ZONDA_CONTAINER=iCloud.org.example.demo
                export ZONDA_ENVIRONMENT=development
                export ZONDA_DATABASE=private
                export ZONDA_USER=_00000000000000000000000000000001
                """)
        }
    }
}

import AMQPClient
import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import PostgresClient
import ServiceMessages

/// `zonda provision …`: the commands that prepare the servers of a deployment before its services start.
struct ProvisionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provision",
        abstract: "Create a deployment's secrets, and users with minimal rights in its broker and database.",
        discussion: """
            Run these commands in this order before the services start. They can be run again at any time.

              zonda provision secrets DIR     creates passwords, signing keys and RabbitMQ's definitions
              zonda provision database        creates a role and a schema for each service
              zonda provision topology        creates exchanges and queues, if the broker did not load the definitions
            """,
        subcommands: [
            ProvisionSecrets.self, ProvisionBroker.self, ProvisionTopology.self, ProvisionDatabase.self,
            ProvisionEnvironment.self,
        ])
}

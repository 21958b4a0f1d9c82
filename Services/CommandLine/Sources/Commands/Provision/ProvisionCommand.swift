import AMQPClient
import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import PostgresClient
import ServiceMessages

/// `zonda provision …`: makes what a deployment needs of its servers before its services start.
struct ProvisionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "provision",
        abstract: "Prepare a deployment's secrets, broker and database: users that may do what they do and no more.",
        discussion: """
            Everything may be done again at any time. In this order, before the services start:

              zonda provision secrets DIR     passwords and signing keys, and what RabbitMQ loads at its start
              zonda provision database        a role and a schema for each service
              zonda provision topology        exchanges and queues, at a broker that has not loaded the definitions
            """,
        subcommands: [
            ProvisionSecrets.self, ProvisionBroker.self, ProvisionTopology.self, ProvisionDatabase.self,
            ProvisionEnvironment.self,
        ])

}

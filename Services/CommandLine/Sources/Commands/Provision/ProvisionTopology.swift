import AMQPClient
import ArgumentParser
import CloudKitWire
import CommandLineSession
import Foundation
import PostgresClient
import ServiceMessages

/// `zonda provision topology`.
struct ProvisionTopology: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topology",
        abstract: "Declare exchanges, queues and bindings on a broker.",
        discussion: """
            This command is for a broker whose users are managed elsewhere. The user in --amqp-url needs configure \
            permission. Policies, which limit the notification log and consumers' queues, cannot be set over AMQP. The \
            command sets them through RabbitMQ's management HTTP API, or prints the commands that set them.

            EXAMPLE
              ZONDA_SECRETS_DIRECTORY=DIR/operator zonda provision topology --amqp-url amqp://zonda@localhost/%2F
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var management: ManagementOptions
    @OptionGroup var log: RetentionOptions

    func run() async throws {
        let configuration: AMQPConfiguration
        do {
            configuration = try AMQPConfiguration(url: try global.brokerURL())
        } catch let error as AMQPError {
            throw ValidationError(error.message)
        }
        try await CommandFailure.reporting {
            try await AMQPChannelSession.with(configuration) { try await $0.declare(ServiceMessages.Topology.all) }
            let policies = BrokerPolicy.all(log.retention)
            guard let url = try? management.url() else { return Self.print(policies, configuration.virtualHost) }
            try await BrokerAdministration.with(url, configuration) { administration in
                for policy in policies {
                    try await administration.put("policies", [policy.name], BrokerDefinitions.json(policy))
                }
            }
        }
    }

    /// Prints the commands that a broker administrator can run to set the policies.
    private static func print(_ policies: [BrokerPolicy], _ vhost: String) {
        Console.report("zonda: no management URL is specified; to set the policies, run:")
        for policy in policies {
            let definition = BrokerDefinitions.json(policy)["definition"]?.text ?? ""
            Console.report(
                "rabbitmqctl set_policy --vhost '\(vhost)' --apply-to queues --priority 10 \(policy.name) "
                    + "'\(policy.pattern)' '\(definition)'")
        }
    }
}

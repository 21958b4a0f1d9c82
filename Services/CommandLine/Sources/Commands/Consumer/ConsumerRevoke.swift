import AMQPClient
import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import Foundation
import OperatorMessages
import ServiceMessages

/// `zonda consumer revoke`.
struct ConsumerRevoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "Delete a consumer, its broker user, its connections and its queues.",
        discussion: """
            Notifications in the queues are lost. If the consumer does not exist, the command deletes any \
            broker user and queues that remain.

            EXAMPLE
              zonda consumer revoke reports
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var management: ManagementOptions

    @Argument(help: "The consumer's name.")
    var name: String

    func run() async throws {
        let amqp = try ConsumerGrantCommand.amqp(try global.brokerURL())
        let management = try management.url()
        let consumer = try ConsumerCommand.name(name)
        try await global.withSession(isScoped: false) { session in
            let answer = try await session.ask(ConsumersRevokeRequest(consumer: name))
            let queues = try await BrokerAdministration.with(management, amqp) { administration in
                try await ConsumerUser(
                    administration: administration, name: consumer.brokerUser(of: amqp.user), consumer: consumer
                ).remove()
            }
            let members = JSONValue(encoding: answer).members ?? []
            _ = global.show(.object(members + [.init("queues", .int(Int64(queues)))])) { _ in "\(name)  revoked" }
        }
    }
}

import AMQPClient
import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import Foundation
import ServiceMessages

/// `zonda consumer …`: an operator's commands.
struct ConsumerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consumer",
        abstract: "Let somebody hear the changes of some zones, and nothing else.",
        discussion: """
            A consumer is a user of the broker. It may declare queues whose names begin consumer.NAME., bind them to the \
            notifications of the zones granted, consume them, and ask for past notifications of these zones \
            (notifications.replay).

            Users of the broker are made over RabbitMQ's management HTTP API, at --management-url.
            """,
        subcommands: [ConsumerGrantCommand.self, ConsumerList.self, ConsumerRevoke.self])

}

extension ConsumerCommand {
    /// A consumer's name as an argument.
    ///
    /// - Throws: a `ValidationError` that tells what a name is.
    static func name(_ argument: String) throws -> ConsumerName {
        do {
            return try ConsumerName(validating: argument)
        } catch {
            throw ValidationError(error.reason)
        }
    }

    /// `reports  iCloud.org.example.demo  development  private  _0…1  Notes, Drafts`.
    static func describe(_ consumer: JSONValue) -> String {
        let zones = consumer["zones"]?.array?.compactMap(\.string).joined(separator: ", ") ?? "every zone"
        let place = ["consumer", "container", "environment", "database", "user"].compactMap { consumer[$0]?.string }
        return (place + [zones]).joined(separator: "  ")
    }
}

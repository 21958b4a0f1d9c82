import AMQPClient
import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import Foundation
import ServiceMessages

/// `zonda consumer …`: operator commands.
struct ConsumerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consumer",
        abstract: "Grant consumers access to the notifications of zones.",
        discussion: """
            A consumer is a broker user that can only receive notifications. It may declare queues whose names begin \
            with consumer.NAME., bind them to the notifications of the granted zones, consume from them, and request \
            past notifications of these zones (notifications.replay).

            Broker users are created through RabbitMQ's management HTTP API (--management-url).
            """,
        subcommands: [ConsumerGrantCommand.self, ConsumerList.self, ConsumerRevoke.self])
}

extension ConsumerCommand {
    /// Parses a consumer's name.
    ///
    /// - Throws: a `ValidationError` that states the rules for names.
    static func name(_ argument: String) throws -> ConsumerName {
        do {
            return try ConsumerName(validating: argument)
        } catch {
            throw ValidationError(error.reason)
        }
    }

    /// Returns a consumer as a line: `reports  iCloud.org.example.demo  development  private  _0…1  Notes, Drafts`.
    static func describe(_ consumer: GrantedConsumer) -> String {
        let grant = consumer.grant
        var parts = [grant.consumer.rawValue, grant.container, grant.environment.rawValue, grant.scope.wireName]
        if grant.scope != .public { parts.append(grant.owner) }
        switch grant.zones {
        case .named(let names): parts.append(names.joined(separator: ", "))
        case .all: parts.append("every zone")
        }
        return parts.joined(separator: "  ")
    }
}

import ArgumentParser
import CloudKitModel
import CommandLineSession
import OperatorMessages

/// `zonda subscription test`.
struct SubscriptionTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send a test notification for a subscription, and print where it was routed.",
        discussion: """
            Prints the exchange, the routing key, whether the broker accepted the notification, and the registered \
            clients to which it was sent. The notification log always accepts it; only the broker knows which other \
            queues are bound to the key. Exits with status 1 if the broker refused the notification. This command is \
            for operators, who specify the owner with --user.

            EXAMPLE
              zonda subscription test notes-watch
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The subscription's id.")
    var id: String

    func run() async throws {
        let scope = try global.scope()
        let body = SubscriptionsTestRequest(
            container: scope.container, environment: scope.environment.rawValue, database: scope.database,
            user: scope.user, subscriptionID: id)
        let answer = try await global.show(answerTo: body, isScoped: true, line: Self.describe)
        guard answer.routed else { throw ExitCode.failure }
    }

    /// Returns one line for each property.
    static func describe(_ answer: SubscriptionsTestRequest.Answer) -> String {
        var table = TextTable()
        table.add("id", answer.id)
        table.add("exchange", answer.exchange)
        table.add("routing key", answer.routingKey)
        table.add("taken", answer.routed ? "yes" : "no: \(answer.error ?? "no queue is bound to the key")")
        for client in answer.clients {
            table.add("client", [client.name, client.clientId].compactMap { $0 }.joined(separator: "  "))
        }
        return table.lines.joined(separator: "\n")
    }
}

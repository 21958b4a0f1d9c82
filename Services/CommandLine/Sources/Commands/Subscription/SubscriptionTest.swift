import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

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
        try await global.withSession { session in
            let answer = try await session.ask(
                .subscriptionsTest, .object(having: scope.question(id)), limit: .requestLimit)
            guard global.show(answer, line: Self.describe), Self.wasTaken(answer) else { throw ExitCode.failure }
        }
    }

    /// Returns whether the broker accepted the notification.
    static func wasTaken(_ answer: JSONValue) -> Bool { answer["routed"]?.bool == true }

    /// Returns one line for each property.
    static func describe(_ answer: JSONValue) -> String {
        var table = TextTable()
        table.add("id", answer["id"]?.string ?? "")
        table.add("exchange", answer["exchange"]?.string ?? "")
        table.add("routing key", answer["routingKey"]?.string ?? "")
        table.add(
            "taken", wasTaken(answer) ? "yes" : "no: \(answer["error"]?.string ?? "no queue is bound to the key")")
        for client in answer["clients"]?.array ?? [] {
            table.add(
                "client",
                ["name", "clientId"].compactMap { client[$0]?.string }.joined(separator: "  "))
        }
        return table.lines.joined(separator: "\n")
    }
}

import ArgumentParser
import CloudKitWire
import ServiceMessages

/// `zonda subscription test`.
struct SubscriptionTest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Send a notification of a subscription, though nothing changed, and tell where it went.",
        discussion: """
            Prints the exchange and the routing key, whether a queue took it, and the registered clients it was sent to. \
            Exit status 1 if nobody took it. An operator's command: name the owner with --user.

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
                .subscriptionsTest, .object(having: scope.question(id)), limit: GlobalOptions.requestLimit)
            guard global.show(answer, line: Self.describe), Self.wasTaken(answer) else { throw ExitCode.failure }
        }
    }

    /// Whether somebody took it.
    static func wasTaken(_ answer: JSONValue) -> Bool {
        answer["routed"]?.bool == true || answer["clients"]?.array?.isEmpty == false
    }

    /// A line for each thing there is to know.
    static func describe(_ answer: JSONValue) -> String {
        var table = TextTable()
        table.add("id", answer["id"]?.string ?? "")
        table.add("exchange", answer["exchange"]?.string ?? "")
        table.add("routing key", answer["routingKey"]?.string ?? "")
        table.add("taken", wasTaken(answer) ? "yes" : "by nobody: no queue is bound, and no client is registered")
        for client in answer["clients"]?.array ?? [] {
            table.add(
                "client",
                ["name", "clientId"].compactMap { client[$0]?.string }.joined(separator: "  "))
        }
        return table.lines.joined(separator: "\n")
    }
}

import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda subscription show`.
struct SubscriptionShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a subscription, and what became of its notifications.",
        discussion: """
            How many were delivered and refused, when the last one was, of which change and how long after it, and the \
            last error. An operator's command: name the owner with --user. Exit status 1 if there is no such one.

            EXAMPLE
              zonda subscription show notes-watch
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The subscription's id.")
    var id: String

    func run() async throws {
        let scope = try global.scope()
        try await global.withSession { session in
            var found: JSONValue?
            try await session.subscriptionStates(scope.question(id)) { page in
                found = page.first
                return false
            }
            if let found {
                _ = global.show(found) { SubscriptionState(json: $0).lines.joined(separator: "\n") }
                return
            }
            // The error in the words of the service that owns it.
            let answer = try await session.ask(
                .subscriptionsLookup, ["subscriptions": [["subscriptionID": .string(id)]]],
                limit: .requestLimit)
            _ = global.show(answer["subscriptions"]?[0] ?? .null, line: SubscriptionLine.text)
            throw ExitCode.failure
        }
    }
}

extension RequestScope {
    /// The members of an operator's question that name a subscription.
    func question(_ subscriptionID: String) -> [(String, JSONValue?)] {
        [
            ("container", .string(container)), ("environment", .string(environment.rawValue)),
            ("database", .string(database.wireName)), ("user", user.map { .string($0) }),
            ("subscriptionID", .string(subscriptionID)),
        ]
    }
}

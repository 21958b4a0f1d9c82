import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import OperatorMessages
import ServiceMessages

/// `zonda subscription show`.
struct SubscriptionShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a subscription and its delivery statistics.",
        discussion: """
            Prints the numbers of delivered and refused notifications, the time, change and delay of the last \
            notification, and the last error. This command is for operators, who specify the owner with --user. Exits \
            with status 1 if the subscription does not exist.

            EXAMPLE
              zonda subscription show notes-watch
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The subscription's id.")
    var id: String

    func run() async throws {
        let scope = try global.scope()
        let body = SubscriptionsStatesRequest(
            container: scope.container, environment: scope.environment.rawValue, database: scope.database,
            user: scope.user, subscriptionID: id)
        try await global.withSession { session in
            var found: SubscriptionDescription?
            try await session.subscriptionStates(body) { page in
                found = page.first
                return false
            }
            if let found {
                return global.show(found) { $0.lines.joined(separator: "\n") }
            }
            // The answer to this request describes the error.
            let answer = try await session.ask(
                .subscriptionsLookup, ["subscriptions": [["subscriptionID": .string(id)]]],
                limit: .requestLimit)
            _ = global.show(answer["subscriptions"]?[0] ?? .null, line: SubscriptionLine.text)
            throw ExitCode.failure
        }
    }
}

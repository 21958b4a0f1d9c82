import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda subscription delete`.
struct SubscriptionDelete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete the user's subscriptions.",
        discussion: """
            EXAMPLE
              zonda subscription delete notes-watch
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The subscriptions' ids.")
    var ids: [String]

    func validate() throws {
        guard Set(ids).count == ids.count else { throw ValidationError("A subscription is specified twice") }
    }

    func run() async throws {
        try await global.withSession { session in
            let operations = ids.map { id -> JSONValue in
                ["operationType": "delete", "subscription": ["subscriptionID": .string(id)]]
            }
            let answer = try await session.ask(
                .subscriptionsModify, ["operations": .array(operations)], limit: .requestLimit)
            var isGood = true
            for item in answer["subscriptions"]?.array ?? [] {
                isGood = global.show(item) { "\($0["subscriptionID"]?.string ?? "")  deleted" } && isGood
            }
            guard isGood else { throw ExitCode.failure }
        }
    }
}

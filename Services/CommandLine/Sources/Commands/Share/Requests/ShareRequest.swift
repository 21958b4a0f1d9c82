import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda share request`.
struct ShareRequest: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Request access to shares through their links, as the user named by --user.",
        discussion: """
            The owner and the administrators of a share find the request in the share. A share whose owner does not \
            allow requests is unknown to users who are not participants.

            EXAMPLE
              zonda share request 0a1BcDeFgHiJkLmNoPqRsTuV --user _01…
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The identifiers in the links.")
    var links: [String]

    func run() async throws {
        try await global.withSession(in: .public) { session in
            let answer = try await session.ask(
                .sharesRequestAccess, ["shortGUIDs": .array(links.map { ["value": .string($0)] })],
                limit: .requestLimit)
            var isGood = true
            for result in answer["results"]?.array ?? [] {
                isGood = global.show(result, line: { _ in "requested" }) && isGood
            }
            guard isGood else { throw ExitCode.failure }
        }
    }
}

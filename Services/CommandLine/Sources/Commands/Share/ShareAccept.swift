import ArgumentParser
import CloudKitModel
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda share accept`.
struct ShareAccept: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept",
        abstract: "Accept shares through their links, as the user named by --user.",
        discussion: """
            With --show, prints what the links lead to, but accepts nothing. An invitation by email cannot be \
            accepted with this command, because only the gateway verifies the address of a user.

            EXAMPLE
              zonda share accept $(zonda share link --zone Notes groceries) --user _01…
            """)

    @OptionGroup var global: GlobalOptions

    @Flag(help: "Print what the links lead to without accepting.")
    var show = false

    @Argument(help: "The identifiers in the links.")
    var links: [String]

    func run() async throws {
        try await global.withSession(in: .public) { session in
            let answer = try await session.ask(
                show ? .recordsResolve : .recordsAccept,
                ["shortGUIDs": .array(links.map { ["value": .string($0)] })], limit: .requestLimit)
            var isGood = true
            for result in answer["results"]?.array ?? [] {
                isGood = global.show(result, line: ShareLine.result) && isGood
            }
            guard isGood else { throw ExitCode.failure }
        }
    }
}

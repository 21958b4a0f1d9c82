import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda badge set`.
struct BadgeSet: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set the user's badge in the container.",
        discussion: """
            EXAMPLE
              zonda badge set 0
            """)

    @OptionGroup var global: GlobalOptions

    @Argument(help: "The number.")
    var number: Int

    func validate() throws {
        if number < 0 { throw ValidationError("The badge must be at least 0") }
    }

    func run() async throws {
        try await global.withSession { session in
            let answer = try await session.ask(
                .badgesSet, ["badge": .int(Int64(number))], limit: .requestLimit)
            guard global.show(answer, line: { "badge \($0["badge"]?.int ?? 0)" }) else { throw ExitCode.failure }
        }
    }
}

import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda share explain`: an operator command.
struct ShareExplain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain why a user can see another user's record, or what is missing.",
        discussion: """
            Prints the record and its parents up to the root of a share, then the share, the user's row in it, and \
            the resulting right. If the right is NONE, also prints what is missing. The exit status is 0 even if \
            the right is NONE.

            EXAMPLE
              zonda share explain --zone Notes --owner _01… --user _23… milk
            """)

    @OptionGroup var global: GlobalOptions

    @Option(help: "The record zone.")
    var zone: String

    @Option(help: "The user who owns the zone.")
    var owner: String

    @Argument(help: "The record's name.")
    var name: String

    func run() async throws {
        let scope = try global.scope()
        guard let user = scope.user else { throw ValidationError("Specify --user, whose right is explained") }
        try await global.show(
            answerTo: SharesExplainRequest(
                container: scope.container, environment: scope.environment, owner: owner, zone: zone,
                recordName: name, user: user),
            line: ShareLine.explanation)
    }
}

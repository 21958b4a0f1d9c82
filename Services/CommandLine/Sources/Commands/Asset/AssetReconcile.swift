import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda asset reconcile`: an operator command.
struct AssetReconcile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        abstract: "Print the result of the last comparison of files, rows and records.",
        discussion: """
            The asset service makes this comparison in every sweep. The exit status is 1 if bytes are missing or \
            damaged, or if no foreign key prevents records from referring to content that does not exist.

            EXAMPLE
              zonda asset reconcile --json
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var list: AssetListOptions

    func run() async throws {
        let result = try await global.show(
            answerTo: AssetReconcileRequest(limit: list.limit), line: Self.describe)
        guard result.quarantined == 0, result.usesAreGuarded else { throw ExitCode.failure }
    }

    /// Returns one line for each number, followed by one line for each file without a row.
    static func describe(_ result: AssetReconcileRequest.Answer) -> String {
        let numbers = TextTable.members(of: result, moments: ["endedAt"], except: ["strays"])
        let strays = result.strays.map { "stray  \(Moment.text($0.firstSeen))  \($0.key)" }
        return (numbers + strays).joined(separator: "\n")
    }
}

import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda asset reconcile`: an operator's command.
struct AssetReconcile: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reconcile",
        abstract: "Print the result of the last comparison of files, rows and records.",
        discussion: """
            The asset service compares them in every sweep. The exit status is 1 if bytes are missing or damaged, or if \
            there is no foreign key that prevents records from referring to contents that do not exist.

            EXAMPLE
              zonda asset reconcile --json
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var list: AssetListOptions

    func run() async throws {
        try await global.withSession(isScoped: false) { session in
            let answer = try await session.ask(
                .assetsReconcile, .object(having: [list.member]), limit: .requestLimit)
            _ = global.show(answer, line: Self.describe)
            guard answer["quarantined"]?.int == 0, answer["usesAreGuarded"]?.bool == true else {
                throw ExitCode.failure
            }
        }
    }

    /// One line for each number, followed by one line for each file without a row.
    static func describe(_ answer: JSONValue) -> String {
        var table = TextTable()
        for member in answer.members ?? [] where member.key != "strays" {
            let moment = member.key == "endedAt" ? member.value.int.map(Moment.text) : nil
            table.add(member.key, moment ?? member.value.text)
        }
        let strays = (answer["strays"]?.array ?? []).map { stray in
            "stray  \(stray["firstSeen"]?.int.map(Moment.text) ?? "")  \(stray["key"]?.string ?? "")"
        }
        return (table.lines + strays).joined(separator: "\n")
    }
}

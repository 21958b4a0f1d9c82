import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda asset quarantine`: an operator command.
struct AssetQuarantine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "List content whose file is missing or damaged, earliest damage first.",
        discussion: """
            Content in quarantine is not served until it is uploaded again, or until its file is restored. To list the \
            records that refer to it, use `zonda asset refs CHECKSUM`.

            EXAMPLE
              zonda asset quarantine --limit 20
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var list: AssetListOptions

    func run() async throws {
        let request = AssetQuarantineRequest(container: try global.scope().container, limit: list.limit)
        let answer = try await global.withSession { try await $0.ask(request) }
        Self.table.show(answer.blobs, total: answer.total, global, list)
    }

    static let table = AssetTable(columns: [
        ("SINCE", { AssetTable.moment($0.damagedAt) }), ("DAMAGE", { $0.damage ?? "" }),
    ])
}

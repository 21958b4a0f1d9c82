import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda asset jobs`: an operator's command.
struct AssetJobs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "List the contents pending deletion, next due first.",
        discussion: """
            EXAMPLE
              zonda asset jobs --limit 20
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var list: AssetListOptions

    func run() async throws { try await Self.table.show(global, list) }

    static let table = AssetTable(
        operation: .assetsJobs, key: "jobs",
        columns: [AssetTable.moment("DUE", "due"), AssetTable.moment("CONDEMNED", "condemnedAt")])
}

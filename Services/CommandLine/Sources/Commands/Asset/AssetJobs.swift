import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda asset jobs`: an operator command.
struct AssetJobs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "List content that is pending deletion, soonest due first.",
        discussion: """
            EXAMPLE
              zonda asset jobs --limit 20
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var list: AssetListOptions

    func run() async throws {
        let request = AssetJobsRequest(container: try global.scope().container, limit: list.limit)
        let answer = try await global.withSession { try await $0.ask(request) }
        Self.table.show(answer.jobs, total: answer.total, global, list)
    }

    static let table = AssetTable(columns: [
        ("DUE", { AssetTable.moment($0.due) }), ("CONDEMNED", { AssetTable.moment($0.condemnedAt) }),
    ])
}

import ArgumentParser
import CommandLineSession
import OperatorMessages

/// `zonda asset usage`: an operator command.
struct AssetUsage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "usage",
        abstract: "Print the storage that a container and its databases use, and their quotas.",
        discussion: """
            Content is counted once for its container, and once for each database whose records or valid receipts \
            refer to it. With --user, only the databases of that user are printed.

            EXAMPLES
              zonda asset usage --limit 20
              zonda asset usage --user _0123456789abcdef0123456789abcdef --json
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var list: AssetListOptions

    func run() async throws {
        let usage = try await global.show(
            answerTo: AssetUsageRequest(
                container: try global.scope().container, user: global.user, limit: list.limit),
            isScoped: true, line: Self.describe)
        list.reportRest(usage.total, printed: usage.databases.count, "databases")
    }

    /// Returns the column titles and one line for the container, followed by one line for each database.
    static func describe(_ usage: AssetUsageRequest.Answer) -> String {
        var table = TextTable()
        table.add("BYTES", "QUOTA", "BLOBS", "USED BY")
        table.add(usage.bytes.grouped, quota(usage.containerQuota), usage.blobs.grouped, usage.container)
        for database in usage.databases {
            table.add(
                (database.bytes ?? 0).grouped, database.database == "private" ? quota(usage.userQuota) : "",
                (database.blobs ?? 0).grouped, "\(database.environment)/\(database.database)/\(database.owner)")
        }
        return table.lines.joined(separator: "\n")
    }

    private static func quota(_ bytes: Int64?) -> String { bytes?.grouped ?? "none" }
}

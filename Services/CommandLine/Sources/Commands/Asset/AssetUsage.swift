import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda asset usage`: an operator's command.
struct AssetUsage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "usage",
        abstract: "Print the storage that a container and its databases use, and their quotas.",
        discussion: """
            A content counts once for its container, and once for each database whose records or valid receipts refer to \
            it. With --user, prints only the databases of that user.

            EXAMPLES
              zonda asset usage --limit 20
              zonda asset usage --user _0123456789abcdef0123456789abcdef --json
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var list: AssetListOptions

    func run() async throws {
        let container = try global.scope().container
        try await global.withSession { session in
            let question = JSONValue.object(having: [
                ("container", .string(container)), ("user", global.user.map { .string($0) }), list.member,
            ])
            let answer = try await session.ask(.assetsUsage, question, limit: .requestLimit)
            _ = global.show(answer, line: Self.describe)
            list.reportRest(answer["total"], printed: answer["databases"]?.array?.count ?? 0, "databases")
        }
    }

    /// One line for the container, followed by one for each database.
    static func describe(_ answer: JSONValue) -> String {
        var table = TextTable()
        table.add("BYTES", "QUOTA", "BLOBS", "WHOSE")
        table.add(
            (answer["bytes"]?.int ?? 0).grouped, quota(answer["containerQuota"]), (answer["blobs"]?.int ?? 0).grouped,
            answer["container"]?.string ?? "")
        for database in answer["databases"]?.array ?? [] {
            let isPrivate = database["database"]?.string == "private"
            table.add(
                (database["bytes"]?.int ?? 0).grouped, isPrivate ? quota(answer["userQuota"]) : "",
                (database["blobs"]?.int ?? 0).grouped,
                ["environment", "database", "owner"].map { database[$0]?.string ?? "" }.joined(separator: "/"))
        }
        return table.lines.joined(separator: "\n")
    }

    private static func quota(_ value: JSONValue?) -> String { value?.int.map(\.grouped) ?? "none" }
}

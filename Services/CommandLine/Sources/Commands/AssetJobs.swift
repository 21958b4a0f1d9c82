import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda asset jobs`: an operator's command.
struct AssetJobs: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "jobs",
        abstract: "List the contents that wait for their deletion, the next one first.",
        discussion: """
            EXAMPLE
              zonda asset jobs --limit 20
            """)

    @OptionGroup var global: GlobalOptions

    @Option(help: "The most jobs to list.")
    var limit: Int?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is at least 1") }
    }

    func run() async throws {
        let container = try global.scope().container
        try await global.withSession { session in
            let answer = try await session.ask(
                .assetsJobs,
                .object(having: [
                    ("container", .string(container)), ("limit", limit.map { .int(Int64($0)) }),
                ]), limit: GlobalOptions.requestLimit)
            let jobs = answer["jobs"]?.array ?? []
            for line in global.json ? jobs.map(\.text) : Self.table(jobs) { Console.print(line) }
            if let total = answer["total"]?.int, total > jobs.count {
                Console.report("\(total.grouped) in all: give a --limit above")
            }
        }
    }

    /// Columns: when it is due, how many bytes, which content.
    static func table(_ jobs: [JSONValue]) -> [String] {
        var table = TextTable()
        table.add("DUE", "CONDEMNED", "BYTES", "CHECKSUM")
        for job in jobs {
            table.add(
                job["due"]?.int.map(Moment.text) ?? "", job["condemnedAt"]?.int.map(Moment.text) ?? "",
                (job["size"]?.int ?? 0).grouped, job["checksum"]?.string ?? "")
        }
        return table.lines
    }
}

import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda asset quarantine`: an operator's command.
struct AssetQuarantine: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "List the contents whose files are lost or damaged, the longest known first.",
        discussion: """
            They are not served until the same content is uploaded again, or the file of that key is put back. `zonda \
            asset refs CHECKSUM` lists the records.

            EXAMPLE
              zonda asset quarantine --limit 20
            """)

    @OptionGroup var global: GlobalOptions

    @Option(help: "The most contents to list.")
    var limit: Int?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit is at least 1") }
    }

    func run() async throws {
        let container = try global.scope().container
        try await global.withSession { session in
            let answer = try await session.ask(
                .assetsQuarantine,
                ["container": .string(container), "limit": limit.map { .int(Int64($0)) } ?? .null],
                limit: GlobalOptions.requestLimit)
            let blobs = answer["blobs"]?.array ?? []
            for line in global.json ? blobs.map(\.text) : Self.table(blobs) { Console.print(line) }
            if let total = answer["total"]?.int, total > blobs.count {
                Console.report("\(total.grouped) in all: give a --limit above")
            }
        }
    }

    /// Columns: since when, what is wrong, how many bytes, which content.
    static func table(_ blobs: [JSONValue]) -> [String] {
        var table = TextTable()
        table.add("SINCE", "DAMAGE", "BYTES", "CHECKSUM")
        for blob in blobs {
            table.add(
                blob["damagedAt"]?.int.map(Moment.text) ?? "", blob["damage"]?.string ?? "",
                (blob["size"]?.int ?? 0).grouped, blob["checksum"]?.string ?? "")
        }
        return table.lines
    }
}

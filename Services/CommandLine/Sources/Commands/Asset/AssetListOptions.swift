import ArgumentParser
import CloudKitWire
import CommandLineSession
import OperatorMessages

/// The options of commands that print a list.
struct AssetListOptions: ParsableArguments {
    @Option(help: "The maximum number of entries.")
    var limit: Int?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
    }

    /// Reports the total number of entries if some of them were not printed.
    ///
    /// - Parameter noun: the plural noun that names the entries; it is printed after their number.
    func reportRest(_ total: Int64, printed: Int, _ noun: String = "entries") {
        guard total > printed else { return }
        Console.report("\(total.grouped) \(noun) in total: increase --limit")
    }
}

/// A table of stored content, as printed by `zonda asset jobs` and `zonda asset quarantine`.
struct AssetTable: Sendable {
    /// The titles and cells of the columns before `BYTES` and `CHECKSUM`.
    var columns: [(title: String, cell: @Sendable (AssetStatus) -> String)]

    /// Prints `contents`, and reports `total` if it exceeds the number of printed entries.
    func show(_ contents: [AssetStatus], total: Int64, _ global: GlobalOptions, _ list: AssetListOptions) {
        let lines = global.json ? contents.map { JSONValue(encoding: $0).text } : lines(contents)
        for line in lines { Console.print(line) }
        list.reportRest(total, printed: contents.count)
    }

    /// Returns the column titles, followed by one row for each element of `contents`.
    func lines(_ contents: [AssetStatus]) -> [String] {
        var table = TextTable()
        table.add(columns.map(\.title) + ["BYTES", "CHECKSUM"])
        for content in contents {
            table.add(columns.map { $0.cell(content) } + [content.size.grouped, content.checksum])
        }
        return table.lines
    }

    /// Returns a cell with a time; empty for nil.
    static func moment(_ time: Int64?) -> String { time.map(Moment.text) ?? "" }
}

extension TextTable {
    /// Returns the members of an object as lines of keys and values.
    ///
    /// - Parameters:
    ///   - moments: the members that are times.
    ///   - omitted: the members to leave out.
    static func members(
        of value: some Encodable, moments: Set<String>, except omitted: Set<String> = []
    ) -> [String] {
        var table = TextTable()
        for member in JSONValue(encoding: value).members ?? [] where !omitted.contains(member.key) {
            let moment = moments.contains(member.key) ? member.value.int.map(Moment.text) : nil
            table.add(member.key, moment ?? member.value.string ?? member.value.text)
        }
        return table.lines
    }
}

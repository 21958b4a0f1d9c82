import ArgumentParser
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// The length of a list.
struct AssetListOptions: ParsableArguments {
    @Option(help: "The maximum number of entries.")
    var limit: Int?

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit must be at least 1") }
    }

    /// The member `limit` of a request; its value is nil for the service's default.
    var member: (String, JSONValue?) { ("limit", limit.map { .int(Int64($0)) }) }

    /// Reports the total number of entries if some of them were not printed.
    ///
    /// - Parameter noun: the plural noun for the entries, printed after their number.
    func reportRest(_ total: JSONValue?, printed: Int, _ noun: String = "entries") {
        guard let total = total?.int, total > printed else { return }
        Console.report("\(total.grouped) \(noun) in total: increase --limit")
    }
}

/// A list of the container's contents, as `zonda asset jobs` and `zonda asset quarantine` print it.
struct AssetTable: Sendable {
    /// A column: its title and its cells.
    typealias Column = (title: String, cell: @Sendable (JSONValue) -> String)

    /// The operation that lists the contents.
    var operation: ServiceMessages.Operation
    /// The member of its answer that contains them.
    var key: String
    /// The columns before `BYTES` and `CHECKSUM`.
    var columns: [Column]

    /// Asks for the contents and prints them.
    ///
    /// - Throws: as ``GlobalOptions/withSession(isScoped:_:)``.
    func show(_ global: GlobalOptions, _ options: AssetListOptions) async throws {
        let container = try global.scope().container
        try await global.withSession { session in
            let answer = try await session.ask(
                operation, .object(having: [("container", .string(container)), options.member]), limit: .requestLimit)
            let contents = answer[key]?.array ?? []
            for line in global.json ? contents.map(\.text) : lines(contents) { Console.print(line) }
            options.reportRest(answer["total"], printed: contents.count)
        }
    }

    /// The titles, then a row for each content.
    func lines(_ contents: [JSONValue]) -> [String] {
        var table = TextTable()
        table.add(columns.map(\.title) + ["BYTES", "CHECKSUM"])
        for content in contents {
            table.add(
                columns.map { $0.cell(content) } + [
                    (content["size"]?.int ?? 0).grouped, content["checksum"]?.string ?? "",
                ])
        }
        return table.lines
    }

    /// A column of times.
    static func moment(_ title: String, _ key: String) -> Column {
        (title, { $0[key]?.int.map(Moment.text) ?? "" })
    }
}

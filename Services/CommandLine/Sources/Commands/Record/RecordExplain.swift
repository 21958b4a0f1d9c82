import ArgumentParser
import CloudKitQuery
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda record explain`.
struct RecordExplain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Tell how a query is answered: by which indexes, what it reads, and how long it takes.",
        discussion: """
            The first page of the query is read, and not printed. With --json also the SQL statement is told.

            \(PredicateSpelling.help)

            EXAMPLE
              zonda record explain --zone Notes --type Note "title CONTAINS[c] 'milk'" --sort n:desc
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: QueryOptions

    @Option(help: ArgumentHelp("\(Sort.spellings) May be repeated.", valueName: "field"), transform: Sort.parse)
    var sort: [Sort] = []

    @Option(help: "The most records of the page.")
    var pageSize: Int?

    func validate() throws {
        if let pageSize, pageSize < 1 { throw ValidationError("--page-size is at least 1") }
    }

    func run() async throws {
        let request = try await global.failing { try self.request(now: Moment.now) }
        try await global.withSession { session in
            let answer = try await session.ask(request, limit: .requestLimit).json()
            _ = global.show(answer) { Self.lines($0).joined(separator: "\n") }
        }
    }

    /// The request.
    func request(now: Int64) throws -> Request {
        var request = QueryRecordsRequest(query: try options.query(sorts: sort, now: now), scope: options.scope)
        request.resultsLimit = pageSize
        var writer = WireWriter()
        writer.queryRecords(request)
        return Request(.recordsExplain, body: writer.bytes)
    }

    /// The answer's sentences, then a line for each of its parts.
    static func lines(_ answer: JSONValue) -> [String] {
        // Nothing was ever saved in the database.
        guard let plan = answer["plan"]?.string else { return ["There is nothing to read."] }
        var table = TextTable()
        for index in answer["indexes"]?.array ?? [] {
            let parts = ["name", "field", "kind"].compactMap { index[$0]?.string }
            table.add("index", parts.joined(separator: "  "))
        }
        for (name, key) in [("rows read", "rowsRead"), ("rows returned", "rowsReturned")] {
            table.add(name, (answer[key]?.int ?? 0).grouped)
        }
        table.add("milliseconds", "\((answer["milliseconds"]?.double ?? 0).rounded(places: 3))")
        for warning in answer.warnings { table.add("warning", warning) }
        return [plan] + table.lines
    }
}

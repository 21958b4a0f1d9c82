import ArgumentParser
import CloudKitQuery
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda record explain`.
struct RecordExplain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Print a query's plan: the indexes that it uses, the rows that it reads, and its duration.",
        discussion: """
            Executes the query to fetch its first page, but does not print the records. With --json, also prints \
            the SQL statement.

            \(PredicateSpelling.help)

            EXAMPLE
              zonda record explain --zone Notes --type Note "title CONTAINS[c] 'milk'" --sort n:desc
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: QueryOptions

    @Option(help: ArgumentHelp("\(Sort.spellings) May be repeated.", valueName: "field"), transform: Sort.parse)
    var sort: [Sort] = []

    @Option(help: "The maximum number of records in the page.")
    var pageSize: Int?

    func validate() throws {
        if let pageSize, pageSize < 1 { throw ValidationError("--page-size must be at least 1") }
    }

    func run() async throws {
        let request = try await global.failing { try self.request(now: Moment.now) }
        try await global.withSession { session in
            let answer = try await session.ask(request, limit: .requestLimit).json()
            _ = global.show(answer) { Self.lines($0).joined(separator: "\n") }
        }
    }

    /// Returns the request.
    func request(now: Int64) throws -> Request {
        var request = QueryRecordsRequest(query: try options.query(sorts: sort, now: now), scope: options.scope)
        request.resultsLimit = pageSize
        var writer = WireWriter()
        writer.queryRecords(request)
        return Request(.recordsExplain, body: writer.bytes)
    }

    /// Returns the description of the plan in `answer`, followed by one line for each index, number and warning.
    static func lines(_ answer: JSONValue) -> [String] {
        // No record has ever been saved in the database.
        guard let plan = answer["plan"]?.string else { return ["The database is empty."] }
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

import ArgumentParser
import CloudKitQuery
import CloudKitWire
import CommandLineSession
import ServiceMessages

/// `zonda record count`.
struct RecordCount: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "count",
        abstract: "Count the records that match a predicate, or aggregate their fields.",
        discussion: """
            \(PredicateSpelling.help)

            With --by, --min, --max, --sum or --avg, prints a table, in which '-' means no value. Otherwise, \
            prints only the number of records. With --json, prints each result in the service's answer on its own \
            line. System fields have the same names as in predicates.

            EXAMPLES
              zonda record count --zone Notes --type Note 'n > 5'
              zonda record count --type Order --by country --sum price --max creationDate
            """)

    @OptionGroup var global: GlobalOptions
    @OptionGroup var options: QueryOptions

    @Option(
        help: ArgumentHelp("The field by which to group the records.", valueName: "field"), transform: QueryKey.parse)
    var by: QueryKey?

    @Option(
        help: ArgumentHelp("A field whose smallest value is printed; may be repeated.", valueName: "field"),
        transform: QueryKey.parse)
    var min: [QueryKey] = []

    @Option(
        help: ArgumentHelp("A field whose largest value is printed; may be repeated.", valueName: "field"),
        transform: QueryKey.parse)
    var max: [QueryKey] = []

    @Option(
        help: ArgumentHelp("A field whose sum is printed; may be repeated.", valueName: "field"),
        transform: QueryKey.parse)
    var sum: [QueryKey] = []

    @Option(
        help: ArgumentHelp("A field whose mean is printed; may be repeated.", valueName: "field"),
        transform: QueryKey.parse)
    var avg: [QueryKey] = []

    /// The requested aggregates, as a table.
    var table: AggregateTable {
        let functions = [("MIN", min), ("MAX", max), ("SUM", sum), ("AVG", avg)]
        return AggregateTable(
            numbers: functions.flatMap { function, keys in keys.map { (function: function, key: $0) } }, group: by)
    }

    func run() async throws {
        let request = try await global.failing { try self.request(now: Moment.now) }
        try await global.withSession { session in
            let answer = try await session.ask(request, limit: .requestLimit).json()
            for warning in answer.warnings { Console.report("warning: \(warning)") }
            for line in lines(answer) { Console.print(line) }
        }
    }

    /// Returns the request.
    func request(now: Int64) throws -> Request {
        var writer = WireWriter()
        writer.aggregateRecords(table.request(try options.query(now: now), options.scope))
        return Request(.recordsAggregate, body: writer.bytes)
    }

    /// Returns the lines of the output.
    func lines(_ answer: JSONValue) -> [String] {
        global.json ? (answer["results"]?.array ?? []).map(\.text) : table.lines(answer)
    }
}

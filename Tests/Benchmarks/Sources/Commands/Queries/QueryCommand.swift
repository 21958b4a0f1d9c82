internal import ArgumentParser
internal import Foundation
internal import ServiceMessages

/// `zonda-limits query`.
struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Measure the time of a query, with the service or with a bare program and a hand-written statement.",
        discussion: """
            Waits until the service has the indexes that the query needs. With --connections, another process answers \
            the same requests from a queue of the same kind, with the given number of connections to the database. It \
            runs the hand-written statement, fetches its rows and sends the bytes of the service's answer. Prints \
            {"requests", "seconds", "perSecond", "milliseconds", "p50", "requestBytes", "replyBytes", "records", \
            "statementMilliseconds"}. The last is the time in which PostgreSQL plans and executes the statement.
            """)

    @Argument(help: "\(BenchQuery.all.map(\.name).joined(separator: ", ")).")
    var query: BenchQuery

    @Option(help: "The zone.")
    var zone = PackagesCommand.defaultZone

    @Option(help: "The number of connections that publish.")
    var producers = 2

    @Option(help: "The number of requests in progress per connection.")
    var inFlight = 4

    @Option(help: "Use the bare program, with this number of connections to the database.")
    var connections: Int?

    @Option(help: "The table that the bare program reads: the service's, or one created for these queries.")
    var table = BareTable.Kind.records

    @Option(help: "The maximum number of unacknowledged messages of the bare program.")
    var prefetch: UInt16 = 100

    @Option(help: "The duration of the measurement: 500ms, 5s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(5)

    func validate() throws {
        guard (1...1000).contains(producers), (1...5000).contains(inFlight), (1...100).contains(connections ?? 1) else {
            throw ValidationError("--producers 1 to 1000, --in-flight 1 to 5000, --connections 1 to 100")
        }
    }

    func run() async throws {
        let times = QueryTimes(query: query, zone: zone)
        let broker = try LimitEnvironment.broker()
        let producers = Producers(configuration: broker, count: producers, inFlight: inFlight)
        try await times.waitForIndexes()
        guard let connections else {
            let result = try await times.run(producers, duration: duration)
            return printLine(result.json(statement: try await times.explainedByService()))
        }
        let table = try await BareTable(table, zone: zone, recordType: query.recordType)
        let result = try await LimitQueues.withQueue(like: Queue.recordQueries, broker) { queue in
            let arguments = [
                "--queue", queue, "--query", query.name, "--zone", zone, "--connections", "\(connections)",
                "--prefetch", "\(prefetch)", "--table", table.kind.rawValue,
            ]
            return try await AnsweringProcess.with(arguments: arguments) {
                try await times.run(producers, queue: queue, duration: duration)
            }
        }
        let statement = try await LimitEnvironment.withPlainPool(connections: 1) {
            try await times.explained(over: table, $0)
        }
        printLine(result.json(statement: statement))
    }
}

extension BenchQuery: ExpressibleByArgument {
    /// Creates the query with a name; nil if there is none.
    init?(argument: String) {
        guard let query = try? Self.named(argument) else { return nil }
        self = query
    }
}

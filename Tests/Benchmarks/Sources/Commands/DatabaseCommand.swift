internal import ArgumentParser

/// `zonda-limits database`.
struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database",
        abstract: "Measure the rows per second that PostgreSQL writes with the statements of the record service.",
        discussion: """
            A database is created on the server of $ZONDA_POSTGRES_URL and dropped afterwards. A transaction locks its \
            zones, reads the request rows and the records that it will write, and writes records, zone counters, the \
            change log and request rows. These are the rows that the record service stores for such a save. Prints \
            {"rows", "seconds", "perSecond"}.
            """)

    @Option(help: "The number of concurrent transactions, like the lanes of the service.")
    var connections = 4

    @Option(help: "The average number of rows in a transaction.")
    var rowsPerTransaction = 100.0

    @Option(help: "The number of rows in a request, all of one zone. A transaction contains whole requests.")
    var rowsPerRequest = 1

    @Option(help: "The fraction of requests that replace records; the others create records.")
    var updates = 0.5

    @Option(help: "The number of zones over which the rows are distributed.")
    var zones = 100

    @Option(help: "The size of one record's operation, in bytes.")
    var size = 500

    @Option(help: "The time during which transactions are started: 500ms, 5s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(5)

    func validate() throws {
        guard (1...100).contains(connections), (connections...100_000).contains(zones) else {
            throw ValidationError("--connections must be from 1 to 100, --zones from --connections to 100000")
        }
        guard (1.0...10_000).contains(rowsPerTransaction), (1...2000).contains(rowsPerRequest) else {
            throw ValidationError("--rows-per-transaction 1 to 10000, --rows-per-request 1 to 2000")
        }
        guard (0...1).contains(updates), (0...1_000_000).contains(size) else {
            throw ValidationError("--updates 0 to 1, --size 0 to 1000000")
        }
    }

    func run() async throws {
        let plan = DatabaseLimit.Plan(
            connections: connections, rowsPerTransaction: rowsPerTransaction, rowsPerRequest: rowsPerRequest,
            updates: updates, zones: zones, sizeBytes: size)
        let url = try LimitEnvironment.required(LimitEnvironment.postgresURL)
        printLine(try await DatabaseLimit(plan).run(url: url, duration: duration).json(unit: "rows"))
    }
}

internal import ArgumentParser

/// `zonda-limits database`.
struct DatabaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database",
        abstract: "Rows a second that PostgreSQL takes by the statements of the record service.",
        discussion: """
            A database is made on the server of $ZONDA_POSTGRES_URL and dropped afterwards. A transaction locks its \
            zones, reads the request rows and the records it is about to write, and writes records, zone counters, \
            change log and request rows; all but the first is what the record service keeps of such a save. Prints \
            {"rows", "seconds", "perSecond"}.
            """)

    @Option(help: "Transactions at once: the lanes of the service.")
    var connections = 4

    @Option(help: "Rows of a transaction, on average.")
    var rowsPerTransaction = 100.0

    @Option(help: "Rows of a request, all of one zone; a transaction has whole requests.")
    var rowsPerRequest = 1

    @Option(help: "The share of requests that replace records; the others make new ones.")
    var updates = 0.5

    @Option(help: "Zones over which the rows are spread.")
    var zones = 100

    @Option(help: "Bytes of one record's operation.")
    var size = 500

    @Option(help: "For how long transactions are begun: 500ms, 5s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(5)

    func validate() throws {
        guard (1...100).contains(connections), (connections...100_000).contains(zones) else {
            throw ValidationError("--connections 1 to 100, --zones not fewer and at most 100000")
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

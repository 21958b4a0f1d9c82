internal import ArgumentParser

/// `zonda-limits packages`.
struct PackagesCommand: AsyncParsableCommand {
    /// The zone into which `deploy/bench` imports the packages.
    static let defaultZone = "packages"

    static let configuration = CommandConfiguration(
        commandName: "packages",
        abstract: "Prepare the queries of the package list.",
        discussion: """
            Waits until the service has built the indexes that the queries need, and copies the zone's records to a \
            separate table in the service's database, for the hand-written statements.
            """)

    @Option(help: "The zone with the imported list.")
    var zone = PackagesCommand.defaultZone

    @Flag(help: "Only drop this table.")
    var drop = false

    func run() async throws {
        if !drop { try await waitForIndexes() }
        let packages = ReadZone(name: zone, recordCount: 0, sizeBytes: 0)
        try await LimitEnvironment.withServicePool(connections: 1) { [drop] pool in
            guard !drop else { return try await PackageTable.drop(over: pool) }
            try await PackageTable.make(from: try await packages.row(over: pool), over: pool)
        }
    }

    /// All indexes are demanded before the command waits for the first one.
    private func waitForIndexes() async throws {
        let queries = BenchQuery.packages
        for query in queries { _ = try await ServiceAnswer.to(query.operation, body: query.body(zone: zone)) }
        for query in queries { try await QueryTimes(query: query, zone: zone).waitForIndexes() }
    }
}

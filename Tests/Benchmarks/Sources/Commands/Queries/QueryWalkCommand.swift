internal import ArgumentParser
internal import CloudKitWire

/// `zonda-limits query-walk`.
struct QueryWalkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query-walk",
        abstract: "Measure the times of the first and the last pages of a sorted query.",
        discussion: """
            Reads one page after the other. Fails if they do not contain every record once. Prints {"pages", "first", \
            "last"}: the medians of the first and the last tenth of the pages, in milliseconds.
            """)

    @Option(help: "The zone.")
    var zone = PackagesCommand.defaultZone

    func run() async throws {
        guard let query = BenchQuery(argument: "sort") else { return }
        try await QueryTimes(query: query, zone: zone).waitForIndexes()
        let seconds = try await SortedWalk(query: query, zone: zone).bySeconds()
        let tenth = max(1, seconds.count / 10)
        func median(_ seconds: ArraySlice<Double>) -> JSONValue {
            .double((seconds.sorted()[seconds.count / 2] * 1000).rounded(places: 3))
        }
        printLine([
            "pages": .int(Int64(seconds.count)), "first": median(seconds.prefix(tenth)),
            "last": median(seconds.suffix(tenth)),
        ])
    }
}

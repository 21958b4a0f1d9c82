internal import ArgumentParser
internal import CloudKitWire

/// `zonda-limits query-walk`.
struct QueryWalkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query-walk",
        abstract: "How long the pages of a sorted query take, at the beginning of all and at the end.",
        discussion: """
            One page after the other; fails when they do not have every record once. Prints {"pages", "first", "last"}: \
            milliseconds, the medians of the first tenth of the pages and of the last.
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

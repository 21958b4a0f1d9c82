internal import ArgumentParser
internal import CloudKitWire
internal import Foundation

/// `zonda-limits small-share`.
struct SmallShareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "small-share",
        abstract: "Measure a participant's requests in a share of 100 records, in a large zone and alone in a zone.",
        discussion: """
            'walk' reads the feed from the beginning, 'query' finds all records of the share, and 'tail' reads ten \
            changes after a token. Each kind of request is sent to the two zones in turn. Prints the median times in \
            milliseconds {"walkLarge", "walkAlone", "queryLarge", "queryAlone", "tailLarge", "tailAlone"}.
            """)

    @Option(help: "The number of records in the large zone.")
    var records = 1_000_000

    @Option(help: "The size of one record's operation, in bytes.")
    var size = 500

    @Option(help: "The number of requests of each kind in each zone.")
    var repeats = 500

    func validate() throws {
        guard (1000...10_000_000).contains(records), (1...100_000).contains(repeats) else {
            throw ValidationError("--records 1000 to 10000000, --repeats 1 to 100000")
        }
    }

    func run() async throws {
        let times = try await SmallShare(recordCount: records, sizeBytes: size, repeatCount: repeats).run()
        printLine(
            .object(
                SmallShare.Request.allCases.flatMap { request in
                    SmallShare.Side.allCases.map { side in
                        JSONValue.Member(
                            request.rawValue + side.rawValue.capitalized, times[request]?[side]?.median ?? .null)
                    }
                }))
    }
}

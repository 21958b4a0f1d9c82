internal import ArgumentParser
internal import CloudKitWire

/// `zonda-limits share-tree`.
struct ShareTreeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "share-tree",
        abstract: "Measure the time to share a tree of records, and that of a bare update of as many rows.",
        discussion: """
            Fills zones with trees of the same form. Shares one tree and updates the rows of another, repeatedly. \
            Prints the median times in milliseconds {"shared", "bare"}.
            """)

    @Option(help: "The number of records in each tree.")
    var records = 10_000

    @Option(help: "The size of one record's operation, in bytes.")
    var size = 500

    @Option(help: "The number of trees that are shared.")
    var repeats = 5

    func validate() throws {
        guard (2...1_000_000).contains(records), (1...1000).contains(repeats) else {
            throw ValidationError("--records 2 to 1000000, --repeats 1 to 1000")
        }
    }

    func run() async throws {
        let (shared, bare) = try await TreeSharing(
            recordCount: records, sizeBytes: size, repeatCount: repeats
        ).run()
        printLine(["shared": shared.median, "bare": bare.median])
    }
}

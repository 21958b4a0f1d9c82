internal import ArgumentParser
internal import CloudKitWire

/// `zonda-limits changed-zones`.
struct ChangedZonesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "changed-zones",
        abstract: "Measure the time to list the changed zones of the shared database, with many shares and with few.",
        discussion: """
            One zone has changed since the tokens of the two users. Their requests are sent in turn. Prints the median \
            times in milliseconds {"many", "few"}.
            """)

    @Option(help: "The number of shares of the first user.")
    var shares = 1000

    @Option(help: "The number of shares of the second user.")
    var few = 10

    @Option(help: "The number of requests of each user.")
    var repeats = 500

    func validate() throws {
        guard (1...100_000).contains(shares), (1...shares).contains(few), (1...100_000).contains(repeats) else {
            throw ValidationError("--shares 1 to 100000, --few 1 to --shares, --repeats 1 to 100000")
        }
    }

    func run() async throws {
        let (many, few) = try await ChangedZones(shareCount: shares, fewCount: few, repeatCount: repeats).run()
        printLine(["many": many.median, "few": few.median])
    }
}

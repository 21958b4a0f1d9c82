internal import ArgumentParser
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages
internal import Synchronization

/// `zonda-limits polls`.
struct PollsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "polls",
        abstract: "Measure look-ups through the gateway at a fixed rate while clients wait for notifications.",
        discussion: """
            Registers clients, each of which waits with a long poll, and then looks up records of the zone at the \
            given rate. Fails if a look-up or poll fails. Prints {"polls", "ended", "lookups", "seconds", "perSecond", \
            "p50", "p99"}, with times in milliseconds.
            """)

    @OptionGroup var zone: ReadZoneOptions

    @Option(help: "The number of waiting clients.")
    var polls = 2000

    @Option(help: "The number of look-ups per second.")
    var rate = 200

    @Option(help: "The duration of the measurement: 500ms, 5s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(60)

    func validate() throws {
        guard (1...50_000).contains(polls), (1...100_000).contains(rate) else {
            throw ValidationError("--polls 1 to 50000, --rate 1 to 100000")
        }
    }

    func run() async throws {
        let (zone, rate, duration) = (zone.zone(), rate, duration)
        let idle = IdlePolls(count: polls)
        let addresses = try await idle.register()
        let times = Mutex<[Duration]>([])
        let ended = try await idle.poll(addresses) {
            let callers = Callers(count: Self.callers, producers: 1)
            // The callers use the points in time in turn.
            let step = Duration.seconds(1) / rate * Self.callers
            let start = ContinuousClock.now
            _ = try await callers.overHTTP { ask, place in
                var counts = ReadCounts()
                var next = start + step / Self.callers * place
                while next < start + duration {
                    try await ContinuousClock().sleep(until: next)
                    let asked = ContinuousClock.now
                    let body = zone.lookup(of: zone.anyName())
                    let answer = try await ask(.recordsLookup, body, counts.answers)
                    try ReadZone.check(answer)
                    times.withLock { $0.append(.now - asked) }
                    counts.add(records: 1, requestBytes: body.count, answerBytes: answer.count)
                    next += step
                }
                return counts
            }
        }
        let sorted = times.withLock { $0.sorted() }
        func percentile(_ share: Double) -> JSONValue {
            let time = sorted.isEmpty ? .zero : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
            return .double((time.seconds * 1000).rounded(places: 2))
        }
        printLine(
            .object(
                [.init("polls", .int(Int64(addresses.count))), .init("ended", .int(Int64(ended)))]
                    + Throughput(count: sorted.count, elapsed: duration).members(unit: "lookups")
                    + [.init("p50", percentile(0.5)), .init("p99", percentile(0.99))]))
    }

    private static let callers = 16
}

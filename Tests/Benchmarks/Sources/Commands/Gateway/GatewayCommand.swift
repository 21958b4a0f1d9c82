internal import ArgumentParser
internal import Foundation
internal import ServiceMessages

/// `zonda-limits gateway`.
struct GatewayCommand: AsyncParsableCommand {
    /// The kind of request to measure.
    enum Kind: String, ExpressibleByArgument, CaseIterable {
        case saves, lookups
    }

    static let configuration = CommandConfiguration(
        commandName: "gateway",
        abstract: "Measure the records per second that callers save or look up, with or without the gateway.",
        discussion: """
            Each caller has one request in progress. Over HTTP, each has a connection to $ZONDA_URL and uses \
            $ZONDA_API_TOKEN and $ZONDA_WEB_AUTH_TOKEN. With --direct, callers send the same requests over AMQP. Saves \
            create new records in the zone; look-ups read the records that 'fill' has saved. Prints {"records", \
            "seconds", "perSecond", "requestBytes", "replyBytes", "perReply"}.
            """)

    @Argument(help: "saves or lookups.")
    var kind: Kind

    @OptionGroup var zone: ReadZoneOptions

    @Option(help: "Callers.")
    var callers = 64

    @Option(help: "With --direct: the number of connections that the callers share.")
    var producers = 4

    @Flag(help: "Send requests over AMQP, without the gateway.")
    var direct = false

    @Option(help: "The duration of the measurement: 500ms, 5s, 2m.", transform: Duration.parse)
    var duration: Duration = .seconds(5)

    func validate() throws {
        guard (1...5000).contains(callers), (1...callers).contains(producers), callers % producers == 0 else {
            throw ValidationError("--callers must be from 1 to 5000, and a multiple of --producers")
        }
    }

    func run() async throws {
        let (zone, kind, duration) = (zone.zone(), kind, duration)
        let run = UInt32.random(in: .min ... .max)
        let caller: @Sendable (Callers.Ask, Int) async throws -> ReadCounts = { ask, place in
            let end = ContinuousClock.now + duration
            var counts = ReadCounts()
            while ContinuousClock.now < end {
                let body =
                    switch kind {
                    case .saves: zone.save(named: "g\(run).\(place).\(counts.answers)")
                    case .lookups: zone.lookup(of: zone.anyName())
                    }
                let answer = try await ask(
                    kind == .saves ? .recordsModify : .recordsLookup, body, counts.answers)
                try ReadZone.check(answer)
                counts.add(records: 1, requestBytes: body.count, answerBytes: answer.count)
            }
            return counts
        }
        let callers = Callers(count: callers, producers: producers)
        let (counts, elapsed) = direct ? try await callers.overAMQP(caller) : try await callers.overHTTP(caller)
        printLine(counts.json(elapsed: elapsed))
    }
}

package import AMQPClient
internal import CloudKitWire

/// When the events of a relay were confirmed to the producer, and when the watchers got them.
package struct RelayLedger: Sendable {
    private var receipts: [(number: Int, at: ContinuousClock.Instant)] = []
    private var confirms: [Int: ContinuousClock.Instant] = [:]
    private var failure: AMQPError?
    /// What has to come yet, nil while more is being published.
    private var expected: (events: Int, receipts: Int)?

    /// Nothing yet.
    package init() {}

    /// The broker has answered for an event.
    package mutating func confirm(_ number: Int, _ result: Result<Void, AMQPError>, at now: ContinuousClock.Instant) {
        switch result {
        case .success: confirms[number] = now
        case .failure(let error): failure = failure ?? error
        }
    }

    /// A watcher got an event.
    package mutating func receive(_ number: Int, at now: ContinuousClock.Instant) { receipts.append((number, now)) }

    /// So many events were published, and watchers are to get them so often in all.
    package mutating func expect(events: Int, receipts: Int) { expected = (events, receipts) }

    /// Whether nothing more is to be waited for: all is there, or will never be.
    package var isSettled: Bool {
        guard let expected, failure == nil else { return failure != nil }
        return confirms.count >= expected.events && receipts.count >= expected.receipts
    }

    /// For each receipt the time since the event's confirmation, none when it came first; in ascending order.
    ///
    /// - Throws: the first failure of an event: one is enough, a limit with failures is none.
    package func latencies() throws -> Latencies {
        if let failure { throw failure }
        return Latencies(
            receipts.compactMap { receipt in
                confirms[receipt.number].map { max(.zero, $0.duration(to: receipt.at)) }
            })
    }
}

/// Times, of which the percentiles are asked.
package struct Latencies: Sendable {
    private let sorted: [Duration]

    /// Of these times.
    package init(_ times: [Duration]) { sorted = times.sorted() }

    /// The time that `percentile` per cent of all do not exceed, in milliseconds; nil of none.
    package func milliseconds(atPercentile percentile: Double) -> Double? {
        guard !sorted.isEmpty else { return nil }
        let rank = Int((percentile / 100 * Double(sorted.count)).rounded(.up))
        return (sorted[min(max(rank, 1), sorted.count) - 1].seconds * 1000).rounded(places: 3)
    }

    /// The members `p50` and `p99`, in milliseconds, null of no times.
    var members: [JSONValue.Member] {
        [("p50", 50.0), ("p99", 99.0)].map { name, percentile in
            .init(name, milliseconds(atPercentile: percentile).map { .double($0) } ?? .null)
        }
    }
}

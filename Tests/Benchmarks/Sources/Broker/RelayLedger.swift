package import AMQPClient
internal import CloudKitWire

/// The times at which the events of a relay were confirmed to the producer and were received by the watchers.
package struct RelayLedger: Sendable {
    private var receipts: [(number: Int, at: ContinuousClock.Instant)] = []
    private var confirms: [Int: ContinuousClock.Instant] = [:]
    private var failure: AMQPError?
    /// The expected numbers; nil while events are still being published.
    private var expected: (events: Int, receipts: Int)?

    /// Creates an empty ledger.
    package init() {}

    /// Records that the broker has confirmed or refused an event.
    package mutating func confirm(_ number: Int, _ result: Result<Void, AMQPError>, at now: ContinuousClock.Instant) {
        switch result {
        case .success: confirms[number] = now
        case .failure(let error): failure = failure ?? error
        }
    }

    /// Records that a watcher has received an event.
    package mutating func receive(_ number: Int, at now: ContinuousClock.Instant) { receipts.append((number, now)) }

    /// Records the number of published events, and the number of times that watchers must receive them in total.
    package mutating func expect(events: Int, receipts: Int) { expected = (events, receipts) }

    /// Whether everything has arrived, or can no longer arrive.
    package var isSettled: Bool {
        guard let expected, failure == nil else { return failure != nil }
        return confirms.count >= expected.events && receipts.count >= expected.receipts
    }

    /// Returns the time from an event's confirmation to each receipt, in ascending order. The time is zero if the
    /// receipt came first.
    ///
    /// - Throws: the first failure of an event, because a limit that was measured with failures is not valid.
    package func latencies() throws -> Latencies {
        if let failure { throw failure }
        return Latencies(
            receipts.compactMap { receipt in
                confirms[receipt.number].map { max(.zero, $0.duration(to: receipt.at)) }
            })
    }
}

/// Latencies with their percentiles.
package struct Latencies: Sendable {
    private let sorted: [Duration]

    /// Creates latencies from times.
    package init(_ times: [Duration]) { sorted = times.sorted() }

    /// Returns the time, in milliseconds, that `percentile` per cent of all latencies do not exceed; nil if there are
    /// none.
    package func milliseconds(atPercentile percentile: Double) -> Double? {
        guard !sorted.isEmpty else { return nil }
        let rank = Int((percentile / 100 * Double(sorted.count)).rounded(.up))
        return (sorted[min(max(rank, 1), sorted.count) - 1].seconds * 1000).rounded(places: 3)
    }

    /// The median, in milliseconds; null if there are no latencies.
    var median: JSONValue { milliseconds(atPercentile: 50).map { .double($0) } ?? .null }

    /// The members `p50` and `p99`, in milliseconds; null if there are no latencies.
    var members: [JSONValue.Member] {
        [("p50", 50.0), ("p99", 99.0)].map { name, percentile in
            .init(name, milliseconds(atPercentile: percentile).map { .double($0) } ?? .null)
        }
    }
}

import CommandLineSession

/// The times at which a slot sends requests: whenever it is free, or at its share of a given rate.
struct LoadPace: Sendable {
    private let end: ContinuousClock.Instant
    private let interval: Duration
    private var due: ContinuousClock.Instant

    /// Creates the pace of the slot with the number `slot`, from `start` for `duration`.
    ///
    /// - Parameter rate: the number of requests per second, over all slots; 0 for the maximum.
    init(rate: Double, slot: Int, of slots: Int, from start: ContinuousClock.Instant, for duration: Duration) {
        end = start + duration
        interval = rate > 0 ? .seconds(Double(slots) / rate) : .zero
        due = start + interval * (Double(slot) / Double(slots))
    }

    /// Waits until the next request is due.
    ///
    /// - Returns: the time at which the request was due, from which its latency is measured; nil after the duration, or
    ///   if the task is cancelled. With a rate, the time may be in the past.
    mutating func next() async -> ContinuousClock.Instant? {
        let clock = ContinuousClock()
        guard !Task.isCancelled else { return nil }
        guard interval > .zero else { return clock.now < end ? clock.now : nil }
        guard due < end, (try? await clock.sleep(until: due)) != nil else { return nil }
        defer { due += interval }
        return due
    }
}

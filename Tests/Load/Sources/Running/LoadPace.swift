import CommandLineSession

/// When a slot of a load asks: whenever it is free, or at its share of a rate.
struct LoadPace: Sendable {
    private let end: ContinuousClock.Instant
    private let interval: Duration
    private var due: ContinuousClock.Instant

    /// The pace of slot number `slot`, from `start`, for as long as `duration`.
    ///
    /// - Parameter rate: requests a second over all slots; 0 is as many as are answered.
    init(rate: Double, slot: Int, of slots: Int, from start: ContinuousClock.Instant, for duration: Duration) {
        end = start + duration
        interval = rate > 0 ? .seconds(Double(slots) / rate) : .zero
        due = start + interval * (Double(slot) / Double(slots))
    }

    /// Waits for the next request's time.
    ///
    /// - Returns: when it was due, which under a rate may be past, so that latency counts from there; nil when no more
    ///   is to be begun, or the task was cancelled.
    mutating func next() async -> ContinuousClock.Instant? {
        let clock = ContinuousClock()
        guard !Task.isCancelled else { return nil }
        guard interval > .zero else { return clock.now < end ? clock.now : nil }
        guard due < end, (try? await clock.sleep(until: due)) != nil else { return nil }
        defer { due += interval }
        return due
    }
}

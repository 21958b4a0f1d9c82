/// Keeps work to a number of bytes per second, on the average since it began.
struct Pace: Sendable {
    /// Bytes per second.
    let rate: Int
    private let began = ContinuousClock.now
    private var bytes: Int64 = 0

    /// From now on, at `rate` bytes per second.
    init(rate: Int) { self.rate = rate }

    /// Waits until `count` bytes more are allowed.
    ///
    /// - Throws: `CancellationError`.
    mutating func take(_ count: Int) async throws {
        bytes += Int64(count)
        let due = began + .seconds(Double(bytes) / Double(rate))
        if due > .now { try await Task.sleep(until: due) }
    }
}

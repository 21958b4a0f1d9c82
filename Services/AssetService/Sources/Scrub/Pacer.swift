/// Limits work to an average number of bytes per second, measured since the pacer was created.
struct Pacer: Sendable {
    /// Bytes per second.
    let rate: Int
    private let began = ContinuousClock.now
    private var bytes: Int64 = 0

    /// Creates a pacer for work that begins now.
    init(rate: Int) { self.rate = rate }

    /// Waits until `count` more bytes are within the limit.
    ///
    /// - Throws: `CancellationError`.
    mutating func wait(for count: Int) async throws {
        bytes += Int64(count)
        let due = began + .seconds(Double(bytes) / Double(rate))
        if due > .now { try await Task.sleep(until: due) }
    }
}

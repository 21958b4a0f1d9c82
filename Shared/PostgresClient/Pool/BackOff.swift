/// The delay before the next connection attempt. Its upper bound doubles with each attempt up to a limit. The delay is
/// chosen at random between half the bound and the full bound, so that many instances do not reconnect at the same
/// time.
struct BackOff: Sendable {
    var initial: Duration = .milliseconds(50)
    var limit: Duration = .seconds(3)

    /// - Parameters:
    ///   - failures: The number of consecutive failed attempts, at least 1.
    ///   - random: A random number from 0 to 1.
    func delay(afterFailures failures: Int, random: Double) -> Duration {
        let doublings = min(max(failures - 1, 0), 20)
        let full = min(initial * (1 << doublings), limit)
        return full / 2 + full / 2 * min(max(random, 0), 1)
    }
}

import Synchronization

/// A clock on which every sleep ends immediately and is counted.
final class CountingClock: Clock {
    private let count = Mutex(0)
    private let clock = ContinuousClock()

    /// The number of sleeps.
    var sleeps: Int { count.withLock { $0 } }
    var now: ContinuousClock.Instant { clock.now }
    var minimumResolution: Duration { clock.minimumResolution }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        count.withLock { $0 += 1 }
        try Task.checkCancellation()
    }
}

/// The time and the chance that an engine's schedule depends on. Tests control both.
struct SyncClock: Sendable {
    /// The time since a fixed moment.
    var now: @Sendable () -> Duration
    /// Waits, or returns early if the task is cancelled.
    var sleep: @Sendable (Duration) async -> Void
    /// A random number from 0 to 1.
    var jitter: @Sendable () -> Double

    /// The clock of the system.
    static var system: SyncClock {
        let start = ContinuousClock.now
        return SyncClock(
            now: { .now - start }, sleep: { try? await Task.sleep(for: $0) }, jitter: { .random(in: 0...1) })
    }
}

import CommandLineSession
import Synchronization

/// The progress line of a load, told once a second.
final class LoadProgress: Sendable {
    private let unit: String
    private let start: ContinuousClock.Instant
    private let duration: Duration
    private let tell: @Sendable (String) -> Void
    private let last = Mutex(0)

    /// A line about so many of a `unit` ("operations"), in a load that began at `start` and lasts `duration`.
    init(
        _ unit: String, since start: ContinuousClock.Instant, of duration: Duration,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.unit = unit
        self.start = start
        self.duration = duration
        self.tell = tell
    }

    /// Tells that `done` have succeeded so far, and what that is since the last time.
    func show(done: Int, failed: Int) {
        let news = last.withLock { last in
            defer { last = done }
            return done - last
        }
        tell(
            ProgressBar.line(
                fraction: start.duration(to: .now) / duration,
                "\(done.grouped) \(unit)  \(news.grouped)/s" + (failed > 0 ? "  \(failed.grouped) failed" : "")))
    }
}

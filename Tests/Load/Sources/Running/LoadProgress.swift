import CommandLineSession
import Synchronization

/// The progress line of a load, updated once per second.
final class LoadProgress: Sendable {
    private let unit: String
    private let start: ContinuousClock.Instant
    private let duration: Duration
    private let tell: @Sendable (String) -> Void
    private let last = Mutex(0)

    /// Creates the line of a load that begins at `start` and lasts for `duration`. `unit` names the counted things,
    /// such as "operations".
    init(
        _ unit: String, since start: ContinuousClock.Instant, of duration: Duration,
        tell: @escaping @Sendable (String) -> Void
    ) {
        self.unit = unit
        self.start = start
        self.duration = duration
        self.tell = tell
    }

    /// Shows the number `done` so far, and the increase since the previous call as a rate per second.
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

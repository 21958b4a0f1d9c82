import CommandLineSession
import Synchronization

/// Determines when a load gives up: after its duration has passed, if requests are in progress and none has been
/// answered for the whole grace period. As long as requests are answered, the load continues until its verification is
/// complete. May be used on any thread.
final class LoadGrace: TransferObserver {
    private typealias Instant = ContinuousClock.Instant

    private struct State {
        var underWay = 0
        /// The time of the last answer, or of the start of the first request in progress.
        var lastMovement: Instant
        /// The number of requests in progress when the load gave up; nil before.
        var outstanding: Int?
    }

    private static let longestTick: Duration = .seconds(1)

    private let end: Instant
    private let grace: Duration
    private let state: Mutex<State>

    /// Creates the grace period of a load that starts now and lasts for `duration`.
    init(_ grace: Duration, after duration: Duration) {
        self.grace = grace
        let now = ContinuousClock.now
        end = now + duration
        state = Mutex(State(lastMovement: now))
    }

    /// The number of requests in progress when the load gave up; nil if it did not.
    var outstanding: Int? { state.withLock(\.outstanding) }

    /// Records an answer or the transfer of bytes.
    func noteProgress() { state.withLock { $0.lastMovement = .now } }

    /// Counts a request as in progress until `work` returns or throws.
    ///
    /// - Throws: the errors of `work`.
    func observing<Value>(
        _ work: () async throws(RequestFailure) -> Value
    ) async throws(RequestFailure) -> Value {
        state.withLock { state in
            if state.underWay == 0 { state.lastMovement = .now }
            state.underWay += 1
        }
        defer { state.withLock { $0.underWay -= 1 } }
        return try await work()
    }

    /// Runs `load`, and cancels it to give up. Requests in progress and all later ones then fail immediately.
    ///
    /// - Throws: the errors of `load`.
    func run<Value: Sendable>(_ load: @escaping @Sendable () async throws -> Value) async throws -> Value {
        try await withThrowingTaskGroup(of: Value?.self) { group in
            group.addTask { try await load() }
            group.addTask {
                await self.waitUntilGivenUp()
                return nil
            }
            while let ended = try await group.next() {
                group.cancelAll()
                if let value = ended { return value }
            }
            throw CancellationError()
        }
    }

    /// Returns when the load must give up, or when the task is cancelled.
    private func waitUntilGivenUp() async {
        while !isGivenUp() {
            guard (try? await ContinuousClock().sleep(for: min(grace, Self.longestTick))) != nil else { return }
        }
    }

    private func isGivenUp() -> Bool {
        state.withLock { state in
            let limit = max(end, state.lastMovement) + grace
            guard state.underWay > 0, ContinuousClock.now >= limit else { return false }
            state.outstanding = state.underWay
            return true
        }
    }
}

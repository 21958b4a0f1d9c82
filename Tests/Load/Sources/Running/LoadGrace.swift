import CommandLineSession
import Synchronization

/// When a load gives up: its duration has passed, requests are under way, and none has been answered for the grace. A load
/// that is answered goes on for as long as its verification needs. Any thread.
final class LoadGrace: TransferObserver {
    private typealias Instant = ContinuousClock.Instant

    private struct State {
        var underWay = 0
        /// When the last answer came, or the first of those under way was begun.
        var lastMovement: Instant
        /// Requests under way when it was given up; nil until then.
        var outstanding: Int?
    }

    private static let longestTick: Duration = .seconds(1)

    private let end: Instant
    private let grace: Duration
    private let state: Mutex<State>

    /// The grace of a load that lasts for `duration` from now on.
    init(_ grace: Duration, after duration: Duration) {
        self.grace = grace
        let now = ContinuousClock.now
        end = now + duration
        state = Mutex(State(lastMovement: now))
    }

    /// Requests that were under way when the load was given up; nil when it was not.
    var outstanding: Int? { state.withLock(\.outstanding) }

    /// Something was answered, or bytes were taken.
    func noteProgress() { state.withLock { $0.lastMovement = .now } }

    /// Counts what `work` asks as under way until it returns or throws.
    ///
    /// - Throws: what `work` throws.
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

    /// Runs `load` and cancels it when it is to be given up. Requests under way and all later ones then fail at once.
    ///
    /// - Throws: what `load` throws.
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

    /// Returns when the load is to be given up, or the task was cancelled.
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

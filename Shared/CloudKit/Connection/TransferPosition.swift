internal import Synchronization

/// How far the bytes of an asset have been transferred.
final class TransferPosition: Sendable {
    private struct State {
        var offset: Int64 = 0
        var movedAt = ContinuousClock.now
        var failures = 0
    }

    private let state = Mutex(State())

    /// Notes that the transfer has reached an offset.
    func reached(_ offset: Int64) {
        state.withLock { state in
            guard offset > state.offset else { return }
            (state.offset, state.movedAt, state.failures) = (offset, .now, 0)
        }
    }

    /// Notes a failed attempt. Returns the number of failures since the last progress, and the time since then.
    func failed() -> (failures: Int, standstill: Duration) {
        state.withLock { state in
            state.failures += 1
            return (state.failures, .now - state.movedAt)
        }
    }
}

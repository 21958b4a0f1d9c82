import Synchronization

/// A value that one task waits for and that whoever comes first provides: an answer, a time-out or a cancellation.
final class Completion<Value: Sendable>: Sendable {
    private enum State {
        case pending
        case awaited(CheckedContinuation<Value, Never>)
        case complete(Value)
        case taken
    }

    private let state = Mutex(State.pending)

    /// Provides the value. Returns false, and does nothing, when it has been provided before. Any thread.
    @discardableResult
    func complete(_ value: Value) -> Bool {
        let (isFirst, waiting): (Bool, CheckedContinuation<Value, Never>?) = state.withLock { state in
            switch state {
            case .pending:
                state = .complete(value)
                return (true, nil)
            case .awaited(let continuation):
                state = .taken
                return (true, continuation)
            case .complete, .taken:
                return (false, nil)
            }
        }
        waiting?.resume(returning: value)
        return isFirst
    }

    /// The value, waited for. To be called once.
    func value() async -> Value {
        await withCheckedContinuation { continuation in
            let value: Value? = state.withLock { state in
                switch state {
                case .pending:
                    state = .awaited(continuation)
                    return nil
                case .complete(let value):
                    state = .taken
                    return value
                case .awaited, .taken:
                    preconditionFailure("a completion is waited for once")
                }
            }
            if let value {
                continuation.resume(returning: value)
            }
        }
    }

    /// The value, waited for; when the calling task is cancelled first, `cancelled` completes it.
    func value(whenCancelled cancelled: Value, then act: @escaping @Sendable () -> Void = {}) async -> Value {
        await withTaskCancellationHandler {
            await value()
        } onCancel: {
            if complete(cancelled) {
                act()
            }
        }
    }
}

import Synchronization

/// A value that is provided once and awaited by one task. Only the first call to ``complete(_:)`` has an effect,
/// whether it provides an answer, a timeout or a cancellation.
final class Completion<Value: Sendable>: Sendable {
    private enum State {
        case pending
        case awaited(CheckedContinuation<Value, Never>)
        case complete(Value)
        case taken
    }

    private let state = Mutex(State.pending)

    /// Provides the value. Does nothing and returns false if a value has already been provided. Thread-safe.
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

    /// Waits for the value. Must be called only once.
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
                    preconditionFailure("a completion can be awaited only once")
                }
            }
            if let value {
                continuation.resume(returning: value)
            }
        }
    }

    /// Waits for the value. If the calling task is cancelled first, completes with `cancelled` and calls `act`.
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

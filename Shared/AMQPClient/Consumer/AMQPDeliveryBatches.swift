import Synchronization

/// The deliveries of a consumer, in batches. Each batch contains all deliveries that have arrived since the previous
/// batch.
///
/// Supports a single iteration by a single task. The sequence continues across reconnects and ends when the consumer
/// stops. A batch is never empty. Cancelling the iterating task ends its iteration without losing deliveries.
package struct AMQPDeliveryBatches: AsyncSequence, Sendable {
    package typealias Element = [AMQPDelivery]
    package typealias Failure = Never

    let buffer = DeliveryBuffer()

    package func makeAsyncIterator() -> Iterator {
        Iterator(buffer: buffer)
    }

    package struct Iterator: AsyncIteratorProtocol {
        fileprivate let buffer: DeliveryBuffer

        package mutating func next() async -> [AMQPDelivery]? {
            await buffer.next()
        }

        package mutating func next(isolation actor: isolated (any Actor)?) async throws(Never) -> [AMQPDelivery]? {
            await buffer.next()
        }
    }
}

/// Passes deliveries from the connection's thread to the iterating task.
final class DeliveryBuffer: Sendable {
    private typealias Waiter = CheckedContinuation<[AMQPDelivery]?, Never>

    private struct State {
        var deliveries: [AMQPDelivery] = []
        var waiter: Waiter?
        var isFinished = false

        /// Removes the waiter and returns it with its result. Returns nil if no task is waiting or there is no result
        /// yet.
        mutating func takeWaiter() -> (Waiter, [AMQPDelivery]?)? {
            guard let waiter, isFinished || !deliveries.isEmpty else {
                return nil
            }
            self.waiter = nil
            return (waiter, takeDeliveries())
        }

        mutating func takeDeliveries() -> [AMQPDelivery]? {
            guard !deliveries.isEmpty else {
                return nil
            }
            let batch = deliveries
            deliveries = []
            return batch
        }
    }

    private let state = Mutex(State())

    func append(_ deliveries: [AMQPDelivery]) {
        update { state in
            if state.deliveries.isEmpty {
                state.deliveries = deliveries
            } else {
                state.deliveries.append(contentsOf: deliveries)
            }
        }
    }

    /// Discards the deliveries that have not been taken yet. The broker redelivers them.
    func removeAll() {
        update { $0.deliveries = [] }
    }

    /// Ends the sequence once the remaining deliveries have been taken.
    func finish() {
        update { $0.isFinished = true }
    }

    func next() async -> [AMQPDelivery]? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                update { state in
                    precondition(state.waiter == nil, "only one task may iterate a consumer's deliveries")
                    state.waiter = continuation
                }
                // The cancellation handler may have run before the waiter was registered.
                if Task.isCancelled {
                    cancel()
                }
            }
        } onCancel: {
            cancel()
        }
    }

    private func cancel() {
        let waiter = state.withLock { state in
            defer { state.waiter = nil }
            return state.waiter
        }
        waiter?.resume(returning: nil)
    }

    private func update(_ change: (inout State) -> Void) {
        let ready = state.withLock { state in
            change(&state)
            return state.takeWaiter()
        }
        if let (waiter, batch) = ready {
            waiter.resume(returning: batch)
        }
    }
}

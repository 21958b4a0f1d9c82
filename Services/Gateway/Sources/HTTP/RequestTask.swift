internal import NIOCore
internal import Synchronization

/// Runs the work for one request in a separate task, which is cancelled when the request's time limit is reached or its
/// connection has closed.
///
/// A cancelled task does not always end immediately. For example, it takes time to cancel a statement if the database
/// does not respond. Therefore, when the time limit is reached, the response does not wait for the task.
final class RequestTask<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value?, Never>?
        var task: Task<Void, Never>?
        var timer: Scheduled<Void>?
        var isStopped = false
    }

    /// The maximum size, in bytes, of the body of a request that is handled on its connection's event loop.
    private static var maxBytesOnLoop: Int { 64 << 10 }

    private let state = Mutex(State())

    private init() {}

    /// Returns the result of `work`; nil if it did not return within `time`.
    static func value(
        of request: GatewayRequest, on channel: any Channel, within time: Duration,
        _ work: @escaping @Sendable () async -> Value
    ) async -> Value? {
        let race = RequestTask()
        let eventLoop = channel.eventLoop
        let executor = request.body.count > maxBytesOnLoop ? nil : EventLoopTaskExecutor(eventLoop)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                race.state.withLock { state in
                    state.continuation = continuation
                    state.timer = eventLoop.scheduleTask(in: TimeAmount(time)) { race.end(nil) }
                    let task = Task(executorPreference: executor) { race.end(await work()) }
                    state.task = task
                    if state.isStopped { task.cancel() }
                }
                eventLoop.execute {
                    try? channel.pipeline.syncOperations.handler(type: ConnectionGuard.self).whenClosed { race.stop() }
                }
            }
        } onCancel: {
            race.stop()
        }
    }

    /// Cancels the task. The task still returns a response.
    private func stop() {
        let task = state.withLock { state in
            state.isStopped = true
            return state.task
        }
        task?.cancel()
    }

    private func end(_ value: Value?) {
        let ended = state.withLock { state in
            defer { state.continuation = nil }
            return state
        }
        guard let continuation = ended.continuation else { return }
        ended.timer?.cancel()
        if value == nil { ended.task?.cancel() }
        continuation.resume(returning: value)
    }
}

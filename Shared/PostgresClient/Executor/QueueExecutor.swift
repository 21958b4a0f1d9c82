import Dispatch

/// Runs an actor's jobs on a serial dispatch queue, so that the queue's events and the actor's methods never overlap.
///
/// swift-corelibs-libdispatch has no `DispatchSerialQueue`, which is such an executor on Apple's platforms.
package final class QueueExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Lets `assumeIsolated` succeed in a block or timer of this queue, which is no job of the actor.
    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}

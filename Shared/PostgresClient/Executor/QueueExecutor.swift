import Dispatch

/// An executor that runs an actor's jobs on a serial dispatch queue, so that the queue's events and the actor's methods
/// never overlap.
///
/// On Apple's platforms, `DispatchSerialQueue` is such an executor, but swift-corelibs-libdispatch does not provide it.
package final class QueueExecutor: SerialExecutor {
    /// The key that identifies the executor whose queue is running on the current thread.
    private static let current = DispatchSpecificKey<ObjectIdentifier>()

    let queue: DispatchQueue

    init(label: String) {
        queue = DispatchQueue(label: label)
        queue.setSpecific(key: Self.current, value: ObjectIdentifier(self))
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    /// Runs `work` on the queue synchronously, on the calling thread, because the work takes only microseconds and
    /// waking another thread would cost more. The caller waits for the jobs ahead of it in the queue, so no job may
    /// block.
    func perform<Value>(_ work: () throws -> Value) rethrows -> Value {
        isIsolatingCurrentContext() == true ? try work() : try queue.sync(execute: work)
    }

    package func isIsolatingCurrentContext() -> Bool? {
        DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self)
    }

    /// Allows `assumeIsolated` in blocks and timers of this queue, which are not jobs of the actor.
    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}

import Dispatch

/// Runs an actor's jobs on a serial dispatch queue, so that the queue's events and the actor's methods never overlap.
///
/// swift-corelibs-libdispatch has no `DispatchSerialQueue`, which is such an executor on Apple's platforms.
package final class QueueExecutor: SerialExecutor {
    /// Tells the queue that a thread is on: its executor.
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

    /// Runs `work` in its turn on the queue, on the calling thread: what another thread would have to be woken for takes
    /// some microseconds here. The caller waits for jobs that are before it, so none of them may wait for anything.
    func perform<Value>(_ work: () throws -> Value) rethrows -> Value {
        isIsolatingCurrentContext() == true ? try work() : try queue.sync(execute: work)
    }

    package func isIsolatingCurrentContext() -> Bool? {
        DispatchQueue.getSpecific(key: Self.current) == ObjectIdentifier(self)
    }

    /// Lets `assumeIsolated` succeed in a block or timer of this queue, which is no job of the actor.
    package func checkIsolated() {
        dispatchPrecondition(condition: .onQueue(queue))
    }
}

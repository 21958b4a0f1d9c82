internal import NIOCore

/// Runs a connection's tasks on its event loop.
///
/// Otherwise, most of the cost of a request would be thread switches: from the loop to the common pool for each part
/// that is read, and back for each part that is written. On the loop, these are function calls, and only the service's
/// reply arrives from another thread. Handling a request must therefore neither block nor compute for a long time;
/// passwords are checked on separate threads (``PasswordCheck``).
final class EventLoopTaskExecutor: TaskExecutor {
    private let eventLoop: any EventLoop

    init(_ eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        eventLoop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

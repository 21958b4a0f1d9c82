import CLinux
import Glibc
import Synchronization

/// The thread that owns one connection, and the executor of the actor that uses the connection.
///
/// librabbitmq allows only one thread to use a connection, and some of its calls block. Each connection therefore has
/// its own thread, and Swift's isolation checks verify that all calls are made on that thread. Between jobs, the thread
/// calls the installed turn function and then sleeps in `poll` until the socket is ready, the turn's deadline passes or
/// the thread is woken. The thread starts with the first job and ends when the executor is released.
final class ConnectionThread: SerialExecutor {
    /// The events and the deadline that end the sleep after a turn.
    struct Wait: Sendable {
        /// The connection's socket; nil if it must not be polled.
        var socket: Int32?
        /// The `poll` events to wait for on the socket.
        var events: Int16 = 0
        /// The time by which the next turn is due; nil if there is no deadline.
        var deadline: ContinuousClock.Instant?
    }

    typealias Turn = @Sendable () -> Wait

    private let loop: Loop

    /// - Parameter name: the thread's name in the operating system, up to 15 bytes.
    init(name: String) {
        loop = Loop(name: name)
    }

    deinit {
        loop.end()
    }

    func enqueue(_ job: consuming ExecutorJob) {
        loop.submit(UnownedJob(job), on: asUnownedSerialExecutor())
    }

    func checkIsolated() {
        precondition(loop.isCurrent, "not on the connection's thread")
    }

    func isIsolatingCurrentContext() -> Bool? {
        loop.isCurrent
    }

    /// Makes the thread run a turn soon. Thread-safe; costs a system call only if no wake-up is pending.
    func wake() {
        loop.wake()
    }

    /// Installs the function that the thread calls in every turn; nil removes it.
    func setTurn(_ turn: Turn?) {
        loop.setTurn(turn)
    }
}

/// The thread's state, which is retained until the thread ends.
private final class Loop: Sendable {
    private struct State {
        var jobs: [(UnownedJob, UnownedSerialExecutor)] = []
        var turn: ConnectionThread.Turn?
        var hasStarted = false
        var hasEnded = false
    }

    /// The size of the stack in bytes. The C library reads nested header tables recursively, and one frame can contain
    /// 20,000 nested tables. Only the part of the stack that is in use takes up memory.
    private static let stackBytes = 32 << 20

    private let name: String
    private let state = Mutex(State())
    /// Whether a wake-up is pending.
    private let isSignalled = Atomic(false)
    private let thread = Atomic<UInt>(0)
    private let event: Int32

    init(name: String) {
        self.name = name
        event = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        precondition(event >= 0, "no file descriptor is available for a connection's thread")
    }

    deinit {
        close(event)
    }

    var isCurrent: Bool {
        thread.load(ordering: .relaxed) == UInt(pthread_self())
    }

    func submit(_ job: UnownedJob, on executor: UnownedSerialExecutor) {
        let starts = state.withLock { state in
            state.jobs.append((job, executor))
            defer { state.hasStarted = true }
            return !state.hasStarted
        }
        if starts {
            start()
        }
        wake()
    }

    func setTurn(_ turn: ConnectionThread.Turn?) {
        state.withLock { $0.turn = turn }
        wake()
    }

    func end() {
        state.withLock { $0.hasEnded = true }
        wake()
    }

    func wake() {
        if !isSignalled.exchange(true, ordering: .acquiringAndReleasing) {
            var one: UInt64 = 1
            _ = write(event, &one, 8)
        }
    }

    private func start() {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setstacksize(&attributes, Self.stackBytes)
        var thread = pthread_t()
        let result = pthread_create(
            &thread, &attributes,
            { loop in
                Unmanaged<Loop>.fromOpaque(loop!).takeRetainedValue().run()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
        precondition(result == 0, "no thread could be created for a connection")
        pthread_detach(thread)
    }

    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        zonda_name_thread(name)
        while true {
            // The flag is cleared before the jobs are taken, so that a job added later causes another wake-up.
            if isSignalled.exchange(false, ordering: .acquiringAndReleasing) {
                var count: UInt64 = 0
                _ = read(event, &count, 8)
            }
            let jobs = state.withLock { state in
                defer { state.jobs.removeAll(keepingCapacity: true) }
                return state.jobs
            }
            for (job, executor) in jobs {
                job.runSynchronously(on: executor)
            }
            let (turn, isOver) = state.withLock { ($0.turn, $0.hasEnded && $0.jobs.isEmpty) }
            if isOver {
                return
            }
            sleep(for: turn?() ?? ConnectionThread.Wait())
        }
    }

    private func sleep(for wait: ConnectionThread.Wait) {
        var milliseconds: Int32 = -1
        if let deadline = wait.deadline {
            let left = deadline - .now
            // The time is rounded up, because a wake-up before the deadline would make the thread spin through the last
            // millisecond.
            milliseconds = left <= .zero ? 0 : Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
        }
        var descriptors = [pollfd(fd: event, events: Int16(POLLIN), revents: 0)]
        if let socket = wait.socket {
            descriptors.append(pollfd(fd: socket, events: wait.events, revents: 0))
        }
        _ = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    }
}

import CLinux
import Glibc
import Synchronization

/// The thread that owns one connection, as the executor of the actor that speaks for it.
///
/// librabbitmq allows a connection to be used by one thread, and some of its calls block; therefore each connection has
/// a thread of its own, and Swift's isolation checks say who is on it. Between jobs the thread calls the installed turn
/// and then sleeps in `poll` until the socket, the turn's deadline or a wake-up wants it. It starts with the first job
/// and ends when the executor is released.
final class ConnectionThread: SerialExecutor {
    /// What to wait for after a turn.
    struct Wait: Sendable {
        /// The connection's socket, nil while there is none.
        var socket: Int32?
        /// `poll` events of the socket.
        var events: Int16 = 0
        /// When to turn again at the latest; nil is never.
        var deadline: ContinuousClock.Instant?
    }

    typealias Turn = @Sendable () -> Wait

    private let loop: Loop

    /// - Parameter name: what the operating system shows, up to 15 bytes.
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

    /// Makes the thread turn soon. Any thread; costs a system call only if none is under way already.
    func wake() {
        loop.wake()
    }

    /// Installs what to do on every round, or nothing.
    func setTurn(_ turn: Turn?) {
        loop.setTurn(turn)
    }
}

/// The part that the thread itself keeps alive.
private final class Loop: Sendable {
    private struct State {
        var jobs: [(UnownedJob, UnownedSerialExecutor)] = []
        var turn: ConnectionThread.Turn?
        var hasStarted = false
        var hasEnded = false
    }

    /// The C library reads nested header tables by recursion, and a frame nests 20,000 of them. Only what is used of it
    /// becomes memory.
    private static let stackBytes = 32 << 20

    private let name: String
    private let state = Mutex(State())
    /// Whether a wake-up was signalled that the thread has not yet taken note of.
    private let isSignalled = Atomic(false)
    private let thread = Atomic<UInt>(0)
    private let event: Int32

    init(name: String) {
        self.name = name
        event = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        precondition(event >= 0, "no file descriptor left for a connection's thread")
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
        precondition(result == 0, "no thread left for a connection")
        pthread_detach(thread)
    }

    private func run() {
        thread.store(UInt(pthread_self()), ordering: .relaxed)
        zonda_name_thread(name)
        while true {
            // Cleared before the work is taken, so that whatever comes later signals again.
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
            // Rounded up: waking before the deadline would make the thread spin through the last millisecond.
            milliseconds = left <= .zero ? 0 : Int32(clamping: Int64((left / .milliseconds(1)).rounded(.up)))
        }
        var descriptors = [pollfd(fd: event, events: Int16(POLLIN), revents: 0)]
        if let socket = wait.socket {
            descriptors.append(pollfd(fd: socket, events: wait.events, revents: 0))
        }
        _ = poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    }
}

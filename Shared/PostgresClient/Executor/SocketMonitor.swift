import CLibPQ
import Dispatch
import Foundation
import Glibc
import Synchronization

/// Waits for the sockets of all connections in the process, on one thread with epoll, and calls their handlers on it, each
/// in its turn on its connection's queue. To wake another thread would cost more than most handlers do: they receive a
/// result and resume who waits for it.
///
/// libdispatch's own sources do not serve: on Linux they take a hang-up, which is what the reset of a connection looks
/// like, for the end of the source and may never call its handler. A connection cut by a restarting server then waits
/// for ever.
final class SocketMonitor: Sendable {
    /// The process's monitor. Its thread starts with the first use and sleeps while nothing happens.
    static let shared = SocketMonitor()

    private struct Registration {
        let descriptor: Int32
        let events: UInt32
        let queue: DispatchQueue
        let handler: @Sendable () -> Void
    }

    private struct State {
        var registrations: [UInt64: Registration] = [:]
        var lastID: UInt64 = 0
    }

    private let epoll: Int32
    private let state = Mutex(State())

    private init() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        Thread.detachNewThread { [self] in run() }
    }

    /// Calls the handler on the queue as long as the descriptor is ready or broken. It must not wait for anything. Gives
    /// the number to remove it by, or `nil` if the kernel refuses.
    func add(
        _ descriptor: Int32, events: EPOLL_EVENTS, queue: DispatchQueue, handler: @escaping @Sendable () -> Void
    ) -> UInt64? {
        state.withLock { state in
            state.lastID += 1
            let id = state.lastID
            let registration = Registration(
                descriptor: descriptor, events: events.rawValue, queue: queue, handler: handler)
            guard control(EPOLL_CTL_ADD, registration, id) else { return nil }
            state.registrations[id] = registration
            return id
        }
    }

    /// Ends the calls, but for one that is on the queue already, and closes the descriptor.
    func removeAndClose(_ id: UInt64) {
        state.withLock { state in
            guard let registration = state.registrations.removeValue(forKey: id) else { return }
            _ = control(EPOLL_CTL_DEL, registration, id)
            close(registration.descriptor)
        }
    }

    private func control(_ operation: Int32, _ registration: Registration, _ id: UInt64) -> Bool {
        var event = epoll_event()
        event.events = registration.events | EPOLLRDHUP.rawValue
        event.data.u64 = id
        return epoll_ctl(epoll, operation, registration.descriptor, &event) == 0
    }

    private func run() {
        let capacity = 64
        var events = [epoll_event](repeating: epoll_event(), count: capacity)
        while true {
            let count = epoll_wait(epoll, &events, Int32(capacity), -1)
            for event in events.prefix(Int(max(0, count))) { dispatch(event.data.u64) }
        }
    }

    private func dispatch(_ id: UInt64) {
        guard let registration = state.withLock({ $0.registrations[id] }) else { return }
        registration.queue.sync {
            // It may have been removed while this waited for its turn.
            if state.withLock({ $0.registrations[id] != nil }) { registration.handler() }
        }
    }
}

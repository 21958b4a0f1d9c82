import CLibPQ
import Dispatch
import Foundation
import Glibc
import Synchronization

/// A monitor that waits for the sockets of all connections in the process on one thread, using epoll. It calls their
/// handlers on that thread, each synchronously on its connection's queue. Waking another thread would cost more than
/// most handlers, which only receive a result and resume its waiter.
///
/// libdispatch's own sources are not suitable. On Linux, they treat a hang-up, which is how a connection reset appears,
/// as the end of the source and might never call its handler. After a server restart, a connection could then wait
/// indefinitely.
final class SocketMonitor: Sendable {
    /// The process's monitor. Its thread starts on first use and sleeps while no socket is ready.
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

    /// Calls the handler on the queue whenever the descriptor is ready or broken. The handler must not block. Returns
    /// the id for ``removeAndClose(_:)``, or `nil` if the kernel refuses the descriptor.
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

    /// Stops calling the handler and closes the descriptor. Does not interrupt a call that is already running on the
    /// queue.
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
            // The registration may have been removed while this thread waited for the queue.
            if state.withLock({ $0.registrations[id] != nil }) { registration.handler() }
        }
    }
}

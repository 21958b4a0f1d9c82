import Synchronization

/// What callers on any thread hand to the thread of a connection: one lock and at most one wake-up per hand-over.
final class Inbox<Item: Sendable>: Sendable {
    /// How far the client's end has come.
    enum Ending: Int, Sendable, Comparable {
        case none, graceful, immediate, over

        static func < (one: Ending, other: Ending) -> Bool {
            one.rawValue < other.rawValue
        }
    }

    private struct State {
        var items: [Item] = []
        var ending = Ending.none
    }

    private let state = Mutex(State())
    private let thread: ConnectionThread
    /// From which stage on nothing more is taken.
    private let closesAt: Ending

    init(thread: ConnectionThread, closesAt: Ending) {
        self.thread = thread
        self.closesAt = closesAt
    }

    /// Hands an item over; false when the client takes no more.
    func put(_ item: Item) -> Bool {
        let isTaken = state.withLock { state in
            guard state.ending < closesAt else {
                return false
            }
            state.items.append(item)
            return true
        }
        if isTaken {
            thread.wake()
        }
        return isTaken
    }

    /// Asks for the end, or for a quicker one.
    func end(_ ending: Ending) {
        state.withLock { $0.ending = max($0.ending, ending) }
        thread.wake()
    }

    var ending: Ending {
        state.withLock { $0.ending }
    }

    /// Takes everything that was put, in order.
    func take() -> [Item] {
        state.withLock { state in
            let items = state.items
            state.items = []
            return items
        }
    }
}

import Synchronization

/// Passes items from any thread to the thread of a connection. Each item requires one lock and at most one wake-up.
final class Inbox<Item: Sendable>: Sendable {
    /// The stages of a client's shutdown.
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
    /// The first stage in which items are no longer accepted.
    private let closesAt: Ending

    init(thread: ConnectionThread, closesAt: Ending) {
        self.thread = thread
        self.closesAt = closesAt
    }

    /// Adds an item. Returns false if the client no longer accepts items.
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

    /// Asks the client to shut down. Has no effect if the same or a later stage has already been requested.
    func end(_ ending: Ending) {
        state.withLock { $0.ending = max($0.ending, ending) }
        thread.wake()
    }

    var ending: Ending {
        state.withLock { $0.ending }
    }

    /// Removes and returns all items, in order.
    func take() -> [Item] {
        state.withLock { state in
            let items = state.items
            state.items = []
            return items
        }
    }
}

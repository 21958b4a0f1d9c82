internal import Synchronization

/// How many bytes of requests' bodies the process may hold: a share is taken as bytes come, and given back when their
/// request is answered. Any thread.
final class BodyMemory: Sendable {
    private let free: Atomic<Int>

    /// So many bytes.
    init(_ bytes: Int) { free = Atomic(bytes) }

    /// Takes room for `bytes`; false, and takes none, when there is not as much.
    func take(_ bytes: Int) -> Bool {
        guard free.wrappingSubtract(bytes, ordering: .relaxed).newValue < 0 else { return true }
        giveBack(bytes)
        return false
    }

    /// Gives back what was taken.
    func giveBack(_ bytes: Int) { free.wrappingAdd(bytes, ordering: .relaxed) }
}

/// Places, of which there are so many: for connections, or requests that are being answered. Any thread.
final class Places: Sendable {
    private let free: Atomic<Int>

    /// So many places.
    init(_ count: Int) { free = Atomic(count) }

    /// Takes a place, which is to be given back; false when there was none.
    func take() -> Bool {
        guard free.wrappingSubtract(1, ordering: .relaxed).newValue < 0 else { return true }
        giveBack()
        return false
    }

    /// Gives a place back.
    func giveBack() { free.wrappingAdd(1, ordering: .relaxed) }
}

internal import Synchronization

/// A cache of values from the database, and of keys for which the database has no value. An entry is valid for a
/// limited time, which is the maximum delay before a revocation takes effect.
///
/// Values and absences have separate capacities, so guessed keys fill only the capacity for absences.
final class TTLCache<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Entry {
        var value: Value
        var readAt: Int64
    }

    private struct State {
        var entries: [Key: Entry] = [:]
        /// The look-up times, in milliseconds since 1970, of the keys for which the database had no value.
        var absences: [Key: Int64] = [:]
    }

    /// How long an absence is valid, in milliseconds. The time is short, so that a new value is found soon.
    private static var absenceTimeToLive: Int64 { 1000 }

    /// How long a value is valid, in milliseconds.
    let timeToLive: Int64
    /// The maximum number of values, and also the maximum number of absences. If the valid entries of one kind would
    /// exceed it, all entries of that kind are removed, and each entry that is needed again takes a round trip.
    let capacity: Int
    private let state = Mutex(State())

    /// Creates an empty cache.
    init(timeToLive: Duration, capacity: Int = 10_000) {
        self.timeToLive = timeToLive.components.seconds * 1000
        self.capacity = capacity
    }

    /// Returns the cached value of `key`, or the result of `find`. Two concurrent calls for a key can both call `find`.
    ///
    /// - Parameter now: the current time, in milliseconds since 1970. An entry with a later time is not valid,
    ///   because it was created before the clock was set back.
    func value(of key: Key, at now: Int64, find: () async throws -> Value?) async rethrows -> Value? {
        let (known, absentSince) = state.withLock { ($0.entries[key], $0.absences[key]) }
        if let known, (0..<timeToLive).contains(now - known.readAt) { return known.value }
        if let absentSince, (0..<Self.absenceTimeToLive).contains(now - absentSince) { return nil }
        let value = try await find()
        keep(value, for: key, at: now)
        return value
    }

    /// Replaces the cached value of `key` without changing its expiry.
    func replace(_ value: Value, for key: Key) {
        state.withLock { $0.entries[key]?.value = value }
    }

    /// Removes `key`.
    func forget(_ key: Key) {
        state.withLock { state in
            state.entries[key] = nil
            state.absences[key] = nil
        }
    }

    private func keep(_ value: Value?, for key: Key, at now: Int64) {
        state.withLock { state in
            if let value {
                state.absences[key] = nil
                Self.makeRoom(in: &state.entries, for: key, capacity) { (0..<timeToLive).contains(now - $0.readAt) }
                state.entries[key] = Entry(value: value, readAt: now)
            } else {
                state.entries[key] = nil
                Self.makeRoom(in: &state.absences, for: key, capacity) {
                    (0..<Self.absenceTimeToLive).contains(now - $0)
                }
                state.absences[key] = now
            }
        }
    }

    private static func makeRoom<Kept>(
        in kept: inout [Key: Kept], for key: Key, _ capacity: Int, while isValid: (Kept) -> Bool
    ) {
        guard kept.count >= capacity, kept[key] == nil else { return }
        kept = kept.filter { isValid($0.value) }
        if kept.count >= capacity { kept.removeAll(keepingCapacity: true) }
    }
}

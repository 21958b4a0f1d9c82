internal import Foundation
internal import SubscriptionStorage
internal import Synchronization

/// Caches audiences, keyed by share and version. The audience of a version never changes, so no entry is out of date
/// unless the database loses commits and gives their versions to other audiences.
final class AudienceCache: Sendable {
    /// The key of an audience.
    struct Key: Hashable, Sendable {
        /// The zone.
        let incarnation: UUID
        /// The share.
        let share: Int64
        /// The version, as events name it.
        let version: Int64
    }

    private struct State {
        var young: [Key: Audience] = [:]
        var old: [Key: Audience] = [:]
        /// The number of entries in ``young`` and of their participants.
        var weight = 0
    }

    private let state = Mutex(State())
    private let maxWeight: Int

    /// Creates an empty cache.
    ///
    /// - Parameter maxWeight: the approximate maximum number of entries and participants. When this number is exceeded,
    ///   the least recently used half is discarded.
    init(maxWeight: Int = 200_000) { self.maxWeight = maxWeight }

    /// Returns an audience that contains all participants who lost access through the change `seq` or a later change;
    /// nil if no such audience is cached.
    func audience(_ key: Key, from seq: Int64) -> Audience? {
        state.withLock { state in
            guard let found = state.young[key] ?? state.old[key], found.fromSeq <= seq else { return nil }
            if state.young[key] == nil { add(found, for: key, to: &state) }
            return found
        }
    }

    /// Adds an audience.
    func add(_ audience: Audience, for key: Key) { state.withLock { add(audience, for: key, to: &$0) } }

    /// Removes all audiences of the zones `incarnations`.
    func remove(of incarnations: Set<UUID>) {
        state.withLock { state in
            state.young = state.young.filter { !incarnations.contains($0.key.incarnation) }
            state.old = state.old.filter { !incarnations.contains($0.key.incarnation) }
            state.weight = state.young.values.reduce(0) { $0 + 1 + $1.members.count }
        }
    }

    private func add(_ audience: Audience, for key: Key, to state: inout State) {
        if state.weight >= maxWeight / 2 {
            state.old = state.young
            (state.young, state.weight) = ([:], 0)
        }
        if state.young.updateValue(audience, forKey: key) == nil { state.weight += 1 + audience.members.count }
    }
}

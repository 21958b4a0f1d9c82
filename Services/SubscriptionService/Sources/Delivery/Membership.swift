internal import Foundation
internal import ServiceMessages
internal import SubscriptionStorage
internal import Synchronization

/// Announces this instance, and hands over shards that are not in its share.
///
/// A queue's single active consumer is the consumer that subscribed first, so the instance that starts first gets every
/// shard. To hand over a shard, an instance cancels its consumption of the queue and subscribes again. The instance is
/// then last in line, and the next consumer becomes active. Every instance whose share does not contain the shard hands
/// it over, until the instance whose share contains it becomes active. This procedure affects only the balance, not
/// correctness: the broker decides which consumer is active, and the compare-and-set of the cursors protects against
/// two instances delivering the same shard.
final class Membership: Sendable {
    private struct State {
        var alive: [UUID] = []
        /// The queues that have delivered messages to this instance since the last run.
        var active: Set<String> = []
    }

    private let id = UUID()
    private let table: InstanceTable
    private let renew: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// Creates a membership that has not been announced yet. `renew` cancels the consumption of a queue and starts it
    /// again.
    init(table: InstanceTable, renew: @escaping @Sendable (String) -> Void) {
        self.table = table
        self.renew = renew
    }

    /// Records that this instance is the active consumer of a queue. May be called from any thread.
    func noteDeliveries(from queue: String) {
        state.withLock { _ = $0.active.insert(queue) }
    }

    /// Announces this instance. If instances have started or stopped since the last run, hands over all shards outside
    /// its share. Otherwise, hands over only those shards outside its share that have delivered messages to it. This
    /// can happen if consumers subscribe in a different order after a reconnect.
    ///
    /// - Throws: `PostgresError`.
    func runOnce() async throws {
        let alive = try await table.announce(id)
        let share = FairShare(of: id, among: alive)
        let foreign = (0..<RoutingKey.shardCount).filter { !share.has($0) }.map { Queue.subscriptionChanges($0) }
        let given = state.withLock { state in
            defer { state = State(alive: alive) }
            return state.alive == alive ? foreign.filter { state.active.contains($0) } : foreign
        }
        for queue in given { renew(queue) }
    }

    /// Removes this instance from the list of live instances.
    ///
    /// - Throws: `PostgresError`.
    func leave() async throws { try await table.remove(id) }
}

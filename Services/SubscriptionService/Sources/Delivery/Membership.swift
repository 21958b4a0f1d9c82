internal import Foundation
internal import ServiceMessages
internal import SubscriptionStorage
internal import Synchronization

/// Says that this instance lives, and gives shards up that are another's.
///
/// A queue's single active consumer is whoever subscribed first, so the instance that starts first has every shard. To
/// hand one over it renews its consumption: it goes to the back of the line, and whoever is in front of it becomes
/// active. All renew except the one whose share the shard is, so that one ends up in front. Only balance depends on
/// this; who is active is the broker's decision, and the cursors' compare-and-set keeps two that believe it apart.
final class Membership: Sendable {
    private struct State {
        var alive: [UUID] = []
        /// Queues that have delivered since the last round.
        var active: Set<String> = []
    }

    private let id = UUID()
    private let table: InstanceTable
    private let renew: @Sendable (String) -> Void
    private let state = Mutex(State())

    /// A member that has not announced itself yet. `renew` cancels the consumption of a queue and begins it anew.
    init(table: InstanceTable, renew: @escaping @Sendable (String) -> Void) {
        self.table = table
        self.renew = renew
    }

    /// Notes that this instance is the active consumer of a queue. Any thread.
    func noteDeliveries(from queue: String) {
        state.withLock { _ = $0.active.insert(queue) }
    }

    /// Says that this instance lives; when others have come or gone, gives up all shards that are not its own, and at
    /// any time those that come to it nevertheless (after a reconnect the line has formed anew).
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

    /// Says that this instance ends.
    ///
    /// - Throws: `PostgresError`.
    func leave() async throws { try await table.remove(id) }
}

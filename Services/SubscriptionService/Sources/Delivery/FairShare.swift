internal import Foundation

/// Which shards an instance should have, among those that live: every instance comes to the same answer, and their
/// shares differ by one shard at most.
struct FairShare: Sendable, Equatable {
    private let rank: Int
    private let count: Int

    /// The share of `id` among `alive`, which all instances have in the same order. One that is not among them has no
    /// share.
    init(of id: UUID, among alive: [UUID]) {
        rank = alive.firstIndex(of: id) ?? alive.count
        count = max(1, alive.count)
    }

    /// Whether a shard is this instance's.
    func has(_ shard: Int) -> Bool { shard % count == rank }
}

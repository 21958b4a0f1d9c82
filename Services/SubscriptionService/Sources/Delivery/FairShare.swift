internal import Foundation

/// The shards that an instance should have. All instances compute the same division, and their shares differ by at most
/// one shard.
struct FairShare: Sendable, Equatable {
    private let rank: Int
    private let count: Int

    /// Creates the share of the instance `id` among the instances `alive`, whose order must be the same on all
    /// instances. An instance that is not in `alive` has no shards.
    init(of id: UUID, among alive: [UUID]) {
        rank = alive.firstIndex(of: id) ?? alive.count
        count = max(1, alive.count)
    }

    /// Returns whether a shard is in the share.
    func has(_ shard: Int) -> Bool { shard % count == rank }
}

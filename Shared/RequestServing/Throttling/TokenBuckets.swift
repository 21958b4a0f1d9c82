/// A bucket for each key that took from it lately. Its memory is bounded by the keys of the requests of the last
/// burst ÷ rate seconds: a bucket that has filled again is as good as none, and forgotten.
struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    /// Below so many nothing is looked through.
    private static var leastToForget: Int { 1024 }

    private let rate: TokenBucket.Rate
    private var buckets: [Key: TokenBucket] = [:]
    private var nextLook = Self.leastToForget

    init(_ rate: TokenBucket.Rate) { self.rate = rate }

    /// How many are remembered.
    var count: Int { buckets.count }

    /// How long until `key` may take a token; zero when it may.
    func wait(_ key: Key, at now: ContinuousClock.Instant) -> Duration { buckets[key]?.wait(at: now) ?? .zero }

    /// Takes a token of `key`.
    mutating func take(_ key: Key, at now: ContinuousClock.Instant) {
        buckets[key, default: TokenBucket(rate, now: now)].take(at: now)
        if buckets.count >= nextLook {
            buckets = buckets.filter { !$0.value.isFull(at: now) }
            nextLook = max(Self.leastToForget, 2 * buckets.count)
        }
    }
}

/// A memory of bounded size that forgets what was not asked for lately.
///
/// Entries are in two generations. What is found in the older one moves into the younger; when that has half of the bytes,
/// the older one is forgotten and the younger takes its place. No entry is moved or looked at for another's sake, so that
/// every step takes constant time; what is in even use stays as long as all of it fits into half of the bytes.
struct GenerationCache<Key: Hashable, Value> {
    private let maxBytes: Int
    private let cost: @Sendable (Key, Value) -> Int
    private var young: [Key: Value] = [:]
    private var old: [Key: Value] = [:]
    private var youngBytes = 0

    /// An empty cache.
    ///
    /// - Parameters:
    ///   - maxBytes: of all entries, about.
    ///   - cost: the bytes that an entry takes.
    init(maxBytes: Int, cost: @escaping @Sendable (Key, Value) -> Int) {
        self.maxBytes = maxBytes
        self.cost = cost
    }

    /// How many entries there are, twice those that are in both generations.
    var count: Int { young.count + old.count }

    /// The value of `key`; setting nil forgets it.
    subscript(key: Key) -> Value? {
        mutating get {
            if let value = young[key] { return value }
            guard let value = old.removeValue(forKey: key) else { return nil }
            keep(value, for: key)
            return value
        }
        set {
            old[key] = nil
            if let earlier = young.removeValue(forKey: key) { youngBytes -= cost(key, earlier) }
            if let newValue { keep(newValue, for: key) }
        }
    }

    /// Forgets the entries that are `isGone`. Looks at all.
    mutating func removeAll(where isGone: (Key, Value) -> Bool) {
        old = old.filter { !isGone($0.key, $0.value) }
        young = young.filter { !isGone($0.key, $0.value) }
        youngBytes = young.reduce(0) { $0 + cost($1.key, $1.value) }
    }

    private mutating func keep(_ value: Value, for key: Key) {
        young[key] = value
        youngBytes += cost(key, value)
        guard youngBytes > maxBytes / 2 else { return }
        (old, young, youngBytes) = (young, [:], 0)
    }
}

extension GenerationCache: Sendable where Key: Sendable, Value: Sendable {}

/// A cache of recently used values whose total cost is limited. It has two generations, and drops the older generation
/// when the younger one is full. A look-up searches at most two dictionaries; nothing is sorted or scanned.
struct RecentCache<Key: Hashable, Value> {
    private typealias Generation = [Key: (value: Value, cost: Int)]

    private var young: Generation = [:]
    private var old: Generation = [:]
    private var youngCost = 0
    private let maxCost: Int

    /// Creates a cache for values whose costs add up to at most `maxCost`.
    init(maxCost: Int) { self.maxCost = maxCost }

    /// The number of values.
    var count: Int { young.count + old.count }

    /// Returns the value for `key` and marks it as recently used.
    mutating func value(_ key: Key) -> Value? {
        if let known = young[key] { return known.value }
        guard let known = old.removeValue(forKey: key) else { return nil }
        keep(known.value, for: key, cost: known.cost)
        return known.value
    }

    /// Adds a value.
    ///
    /// - Parameter cost: the approximate size of the value, in the same unit as `maxCost`.
    mutating func keep(_ value: Value, for key: Key, cost: Int = 1) {
        forget(key)
        if youngCost + cost > maxCost / 2 {
            (old, young, youngCost) = (young, [:], 0)
        }
        young[key] = (value, cost)
        youngCost += cost
    }

    /// Removes a value.
    mutating func forget(_ key: Key) {
        if let former = young.removeValue(forKey: key) { youngCost -= former.cost }
        old[key] = nil
    }

    /// Removes and returns the values of the keys that satisfy `isGone`.
    @discardableResult
    mutating func forget(where isGone: (Key) -> Bool) -> [Value] {
        let gone = (Array(young.keys) + Array(old.keys)).filter(isGone)
        let values = gone.compactMap { (young[$0] ?? old[$0])?.value }
        for key in gone { forget(key) }
        return values
    }
}

extension RecentCache: Sendable where Key: Sendable, Value: Sendable {}

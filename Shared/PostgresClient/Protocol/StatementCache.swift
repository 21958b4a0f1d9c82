/// Which statements a connection has prepared, and under which names: a least-recently-used cache. Pure; the connection
/// tells it what the server answered.
struct StatementCache {
    struct Key: Hashable {
        let sql: String
        let types: [PostgresType]
    }

    private struct Entry {
        let name: String
        var lastUse: UInt64
    }

    private var entries: [Key: Entry] = [:]
    private var nextName: UInt64 = 0
    private var clock: UInt64 = 0
    private let capacity: Int

    /// Names of statements that left the cache and that the server still has.
    private(set) var retired: [String] = []

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { entries.count }

    enum Lookup: Equatable {
        case prepared(name: String)
        case new(name: String)
    }

    /// The name of a statement, which the caller has to prepare under it if it is new.
    mutating func use(_ key: Key) -> Lookup {
        clock += 1
        if let index = entries.index(forKey: key) {
            entries.values[index].lastUse = clock
            return .prepared(name: entries.values[index].name)
        }
        if entries.count >= capacity { evict() }
        nextName += 1
        let name = "s\(nextName)"
        entries[key] = Entry(name: name, lastUse: clock)
        return .new(name: name)
    }

    /// Forgets a statement that the server did not take.
    mutating func forget(_ key: Key) {
        entries[key] = nil
    }

    /// Forgets a statement that the server has but that is of no more use.
    mutating func retire(_ key: Key) {
        if let entry = entries.removeValue(forKey: key) { retired.append(entry.name) }
    }

    /// Hands over the names to deallocate; give back with `restoreRetired(_:)` those that could not be.
    mutating func takeRetired() -> [String] {
        defer { retired = [] }
        return retired
    }

    mutating func restoreRetired(_ name: String) {
        retired.append(name)
    }

    /// Removes the least recently used eighth, so that the search for them is paid once for many statements.
    private mutating func evict() {
        let oldest = entries.sorted { $0.value.lastUse < $1.value.lastUse }.prefix(max(1, capacity / 8))
        for (key, _) in oldest { retire(key) }
    }
}

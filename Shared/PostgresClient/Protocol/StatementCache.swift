/// The statements that a connection has prepared, with their names. A value type without side effects; the connection
/// informs it of the server's answers.
///
/// A statement is evicted only if it has not been used for a long time, not because another statement arrives. If more
/// statements are in regular use than fit, for example with many environments, a least-recently-used cache would
/// prepare each of them again at every use. In this cache, the statements that fit stay prepared, and the others are
/// planned at each use.
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

    /// Names of evicted statements that the server still has.
    private(set) var retired: [String] = []

    /// The value of `clock` before which the cache does not search for idle statements again.
    private var nextEviction: UInt64 = 0

    /// A statement is idle if it was not used in the last `idleCapacities` × `capacity` uses of the cache.
    static let idleCapacities = 8

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { entries.count }

    enum Lookup: Equatable {
        case prepared(name: String)
        case new(name: String)
        /// The cache is full, so the statement runs without a name.
        case unprepared
    }

    /// Returns the name of a statement. If the statement is new, the caller must prepare it with this name.
    mutating func use(_ key: Key) -> Lookup {
        clock += 1
        if let index = entries.index(forKey: key) {
            entries.values[index].lastUse = clock
            return .prepared(name: entries.values[index].name)
        }
        guard entries.count < capacity || evict() else { return .unprepared }
        nextName += 1
        let name = "s\(nextName)"
        entries[key] = Entry(name: name, lastUse: clock)
        return .new(name: name)
    }

    /// Removes a statement that the server did not accept.
    mutating func forget(_ key: Key) {
        entries[key] = nil
    }

    /// Removes a statement that still exists on the server but must no longer be used.
    mutating func retire(_ key: Key) {
        if let entry = entries.removeValue(forKey: key) { retired.append(entry.name) }
    }

    /// Removes and returns the names of the statements to deallocate. If a deallocation fails, pass the name to
    /// ``restoreRetired(_:)``.
    mutating func takeRetired() -> [String] {
        defer { retired = [] }
        return retired
    }

    mutating func restoreRetired(_ name: String) {
        retired.append(name)
    }

    /// Evicts idle statements, if there are any. To limit the cost, searches at most once every `capacity / 8` uses.
    ///
    /// - Returns: whether there is room now.
    private mutating func evict() -> Bool {
        guard clock >= nextEviction else { return false }
        nextEviction = clock + UInt64(max(1, capacity / 8))
        let idleUses = UInt64(capacity * Self.idleCapacities)
        for (key, entry) in entries where entry.lastUse + idleUses < clock { retire(key) }
        return entries.count < capacity
    }
}

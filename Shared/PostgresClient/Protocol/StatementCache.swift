/// Which statements a connection has prepared, and under which names. Pure; the connection tells it what the server answered.
///
/// A statement makes room when it has not been used for long, not when another one comes: where more statements are in
/// turn than have room, as with many environments, a least-recently-used cache would prepare each of them again every
/// time. Here those that have room stay prepared, and the others are planned when they are used.
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

    /// No search for idle statements before this.
    private var nextEviction: UInt64 = 0

    /// Uses of statements after which one that was not among them is idle, in capacities.
    static let idleCapacities = 8

    init(capacity: Int) {
        self.capacity = max(1, capacity)
    }

    var count: Int { entries.count }

    enum Lookup: Equatable {
        case prepared(name: String)
        case new(name: String)
        /// There is no room: it is executed without a name.
        case unprepared
    }

    /// The name of a statement, which the caller has to prepare under it if it is new.
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

    /// Removes idle statements, if there are any. A search pays for itself over an eighth of the capacity.
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

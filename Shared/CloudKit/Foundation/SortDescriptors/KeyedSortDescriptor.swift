internal import Foundation

/// The order of records by a field.
final class KeyedSortDescriptor: NSSortDescriptor, KeyedSorting {
    let sortedKey: String?

    init(_ key: String?, _ ascending: Bool) {
        sortedKey = key
        // Foundation's class has no key. `compare(_:to:)` does not use this key path.
        super.init(keyPath: \NSObject.hash, ascending: ascending)
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    /// Compares the field's values in two records or dictionaries. An object without the field comes last.
    override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
        SortedValue(object1, sortedKey).compared(with: SortedValue(object2, sortedKey), isAscending: ascending)
    }

    override var reversedSortDescriptor: Any { KeyedSortDescriptor(sortedKey, !ascending) }

    override var description: String {
        "(\(sortedKey ?? "(null)"), \(ascending ? "ascending" : "descending"), compare:)"
    }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? KeyedSortDescriptor else { return false }
        return other.sortedKey == sortedKey && other.ascending == ascending
    }

    override var hash: Int { sortedKey.hashValue }
}

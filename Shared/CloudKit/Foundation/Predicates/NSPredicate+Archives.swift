internal import CloudKitQuery
internal import Foundation

/// Archives of queries and subscriptions contain predicates as formats, because predicates cannot be archived on Linux.
extension NSPredicate {
    /// Encodes the predicate as a format: without placeholders, and with all values as literals. A predicate that no
    /// request accepts is encoded as it is printed.
    func encode(in coder: NSCoder, forKey key: String) {
        let format = (try? QueryPredicate.predicate(of: self))?.format ?? PredicateText.printed(self)
        coder.encode(format as NSString, forKey: key)
    }

    /// Decodes a predicate that ``encode(in:forKey:)`` has encoded. A predicate that cannot be read is one that no
    /// request accepts.
    static func decoded(from coder: NSCoder, forKey key: String) -> NSPredicate {
        guard let format = coder.decodeObject(of: NSString.self, forKey: key) as String? else {
            return FaultyPredicate(PredicateFault("", "the archive contains no predicate"))
        }
        return NSPredicate(format: format, argumentArray: nil)
    }
}

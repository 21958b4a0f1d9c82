internal import Foundation

/// An object whose fields a predicate can read.
protocol PredicateSubject {
    /// The names of all fields.
    var predicateKeys: [String] { get }

    /// Returns the value of a field or of a property such as `creationDate`; nil if there is none.
    func predicateValue(forKey key: String) -> Any?
}

extension NSDictionary: PredicateSubject {
    var predicateKeys: [String] { allKeys.compactMap { $0 as? String } }

    func predicateValue(forKey key: String) -> Any? { object(forKey: key as NSString) }
}

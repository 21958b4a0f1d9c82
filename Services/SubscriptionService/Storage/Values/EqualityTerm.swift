package import CloudKitModel
package import CloudKitQuery
internal import Crypto

/// An equality under which query subscriptions are stored and found: a key and its value, both as digests.
///
/// A predicate that requires `folder == "inbox"`, alone or in an AND, can only match records with that value. The
/// subscription is stored under this term. Subscriptions are looked up by the terms of a changed record, so
/// subscriptions to other values cost nothing. Terms only narrow the search; the predicates of the subscriptions that
/// are found are still evaluated. Terms can therefore be coarse (integers, other numbers and timestamps are treated as
/// one kind), but they must never exclude a match. Lists have no terms.
package struct EqualityTerm: Sendable, Hashable {
    /// The key's digest; 0 if the predicate does not require any key to equal a value.
    package let key: Int64
    /// The digest of key and value; 0 if ``key`` is 0.
    package let term: Int64

    /// The term for predicates that do not require any key to equal a value. Every record has this term.
    package static let none = EqualityTerm(key: 0, term: 0)

    private init(key: Int64, term: Int64) { (self.key, self.term) = (key, term) }

    /// Creates the term for the equality of `key` and `value`; returns nil for values that have no term.
    package init?(_ key: QueryKey, _ value: FieldValue) {
        guard let text = Self.text(of: value) else { return nil }
        self.init(key: Self.digest(of: key), term: Self.digest("\(key.predicateName)\u{0}\(text)"))
    }

    /// Creates the term of the first equality that a predicate requires, or ``none`` if it requires no equality.
    ///
    /// - Parameter user: the user that `__defaultOwner__` denotes in comparisons of the user who created or modified a
    ///   record.
    package init(of predicate: Predicate, user: String) {
        let demands: [Predicate] = if case .and(let all) = predicate { all } else { [predicate] }
        for case .comparison(let comparison) in demands where comparison.quantifier == .value {
            guard case .relation(.equal, var value, []) = comparison.test else { continue }
            if case .system(let key) = comparison.key, key == .createdUserRecordName || key == .modifiedUserRecordName,
                value.recordName == "__defaultOwner__"
            {
                value = .string(user)
            }
            if let term = EqualityTerm(comparison.key, value) {
                self = term
                return
            }
        }
        self = .none
    }

    /// Returns a key's digest, which is never 0.
    package static func digest(of key: QueryKey) -> Int64 { digest(key.predicateName) }

    /// Returns text that is the same for all values that a comparison can consider equal. Numbers and timestamps form
    /// one kind, and strings and record names form another.
    private static func text(of value: FieldValue) -> String? {
        switch value {
        case .string(let text): "s\(text)"
        case .reference(let reference): "s\(reference.recordName)"
        case .int64(let number), .timestamp(let number): "n\(number)"
        case .double(let number): Int64(exactly: number).map { "n\($0)" } ?? "n\(number)"
        case .bytes, .asset, .location, .list: nil
        }
    }

    private static func digest(_ text: String) -> Int64 {
        let number = SHA256.hash(data: Array(text.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        // 0 means that no equality is required.
        return number == 0 ? 1 : Int64(bitPattern: number)
    }
}

extension FieldValue {
    fileprivate var recordName: String? {
        switch self {
        case .string(let text): text
        case .reference(let reference): reference.recordName.rawValue
        default: nil
        }
    }
}

internal import CloudKitModel
internal import CloudKitQuery
internal import Crypto

/// An equality by which query subscriptions are found: a key and what it has to be, both as digests.
///
/// A predicate that demands `folder == "inbox"`, alone or beside other things, can only match records with that value: the
/// subscription is stored under the term, and a change looks up its record's terms. So subscriptions with other values
/// cost nothing. Terms only narrow the search: what they find is evaluated, and so they may be coarse (whole numbers,
/// other numbers and moments are one kind) but never leave out a match. Of lists there are none.
struct EqualityTerm: Sendable, Hashable {
    /// The key's digest; 0: no equality is demanded.
    let key: Int64
    /// The digest of key and value; 0 with the key.
    let term: Int64

    /// Every record has it: predicates without an equality are stored under it.
    static let none = EqualityTerm(key: 0, term: 0)

    private init(key: Int64, term: Int64) { (self.key, self.term) = (key, term) }

    /// That of `key` being `value`; nil for values that cannot be looked up.
    private init?(_ key: QueryKey, _ value: FieldValue) {
        guard let text = Self.text(of: value) else { return nil }
        self.init(key: Self.digest(key.predicateName), term: Self.digest("\(key.predicateName)\u{0}\(text)"))
    }

    /// The first equality that a predicate demands.
    ///
    /// - Parameter user: whose predicate it is, for `__defaultOwner__` as a record's user.
    init(of predicate: Predicate, user: String) {
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

    /// Those that a record has whose keys are among `keys`.
    static func terms(of record: EventRecord, keys: Set<Int64>) -> [EqualityTerm] {
        var terms: [EqualityTerm] = []
        func add(_ key: QueryKey, _ value: FieldValue) {
            guard keys.contains(digest(key.predicateName)), let term = EqualityTerm(key, value) else { return }
            terms.append(term)
        }
        if keys.contains(none.key) { terms.append(none) }
        for (name, value) in record.fields { add(.field(name), value) }
        add(.system(.recordName), .string(record.recordName))
        add(.system(.createdTimestamp), .timestamp(record.createdTimestamp))
        add(.system(.modifiedTimestamp), .timestamp(record.modifiedTimestamp))
        add(.system(.createdUserRecordName), .string(record.createdUserRecordName))
        add(.system(.modifiedUserRecordName), .string(record.modifiedUserRecordName))
        if let parent = record.parentRecordName { add(.system(.parent), .string(parent)) }
        return terms
    }

    /// The same for all values that a comparison may find equal: numbers of both kinds and moments, texts and the names
    /// of records.
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
        // 0 means none.
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

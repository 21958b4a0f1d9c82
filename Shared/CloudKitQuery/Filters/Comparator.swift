/// A parsed comparator. For example, `NOT_LIST_MEMBER_BEGINS_WITH` is the negation of `BEGINS_WITH` applied to the
/// members of a list.
struct Comparator: Hashable {
    /// The comparison. The raw value is the comparator without its prefixes.
    enum Base: String, CaseIterable {
        case equals = "EQUALS"
        case notEquals = "NOT_EQUALS"
        case lessThan = "LESS_THAN"
        case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
        case greaterThan = "GREATER_THAN"
        case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
        case oneOf = "IN"
        case beginsWith = "BEGINS_WITH"
        case containsAllTokens = "CONTAINS_ALL_TOKENS"
        case containsAnyTokens = "CONTAINS_ANY_TOKENS"
        case near = "NEAR"
        case listContainsAll = "LIST_CONTAINS_ALL"
        // These do not exist in CloudKit.
        case between = "BETWEEN"
        case contains = "CONTAINS"
        case endsWith = "ENDS_WITH"
        case like = "LIKE"
        case matches = "MATCHES"
        case exists = "EXISTS"
        case nearerThan = "NEARER_THAN"
        case fartherThan = "FARTHER_THAN"
        case fartherThanOrEquals = "FARTHER_THAN_OR_EQUALS"
    }

    private static let negation = "NOT_"
    private static let member = "LIST_MEMBER_"
    /// CloudKit's own names for tests of a list's members. If several names have the same base, the first is used for
    /// writing.
    private static let listNames: [(name: String, base: Base)] = [
        ("LIST_CONTAINS", .equals), ("LIST_CONTAINS_ANY", .oneOf), ("CONTAINS_ANY", .oneOf),
    ]

    /// Names that CKTool JS uses. They are accepted but never written.
    private static let otherNegations: [String: Base] = [
        "LIST_NOT_CONTAINS": .equals, "LIST_NOT_CONTAINS_ANY": .oneOf,
    ]

    let base: Base
    let quantifier: Quantifier
    let isNegated: Bool

    init(_ base: Base, _ quantifier: Quantifier = .value, isNegated: Bool = false) {
        self.base = base
        self.quantifier = quantifier
        self.isNegated = isNegated
    }

    /// Parses a comparator's name; nil if the name is unknown.
    init?(name: String) {
        if let base = Base(rawValue: name) {
            self.init(base)
            return
        }
        if let base = Self.otherNegations[name] {
            self.init(base, .any, isNegated: true)
            return
        }
        let isNegated = name.hasPrefix(Self.negation)
        let rest = isNegated ? String(name.dropFirst(Self.negation.count)) : name
        if let list = Self.listNames.first(where: { $0.name == rest }) {
            self.init(list.base, .any, isNegated: isNegated)
        } else if rest.hasPrefix(Self.member), let base = Base(rawValue: String(rest.dropFirst(Self.member.count))) {
            self.init(base, .any, isNegated: isNegated)
        } else if isNegated, let base = Base(rawValue: rest), base != .notEquals {
            self.init(base, isNegated: true)
        } else {
            return nil
        }
    }

    /// The comparator's name; nil for the negations of EQUALS and NOT_EQUALS, which have no name. `NOT_EQUALS` is not
    /// the negation of EQUALS, because both are false for records without the field.
    var name: String? {
        let isEquality = base == .equals || base == .notEquals
        if isNegated, quantifier == .value, isEquality { return nil }
        let list = quantifier == .any ? Self.listNames.first { $0.base == base }?.name : nil
        return (isNegated ? Self.negation : "") + (list ?? (quantifier == .any ? Self.member : "") + base.rawValue)
    }
}

package import CloudKitModel

/// The predicate of a query: comparisons combined by AND, OR and NOT. It does not depend on types;
/// ``BoundPredicate`` is the equivalent for the fields of a record type.
///
/// Logic is two-valued: a comparison of a field that a record does not have is false, even `!=`, and NOT inverts it.
package indirect enum Predicate: Hashable, Sendable {
    /// All of the predicates. Without any, it matches every record (TRUEPREDICATE).
    case and([Predicate])
    /// At least one of the predicates. Without any, it matches no record (FALSEPREDICATE).
    case or([Predicate])
    /// The negation.
    case not(Predicate)
    /// A test of one field.
    case comparison(Comparison)

    /// TRUEPREDICATE: every record.
    package static let all = Predicate.and([])
    /// FALSEPREDICATE: no record.
    package static let nothing = Predicate.or([])
}

/// A comparison of one field.
package struct Comparison: Hashable, Sendable {
    /// The field.
    package var key: QueryKey
    /// Whether the test applies to the value or to the elements of a list.
    package var quantifier: Quantifier
    /// The test.
    package var test: Test

    /// Creates a comparison.
    package init(_ key: QueryKey, _ quantifier: Quantifier = .value, _ test: Test) {
        self.key = key
        self.quantifier = quantifier
        self.test = test
    }
}

/// The values to which a test applies.
package enum Quantifier: Hashable, Sendable {
    /// The field's value.
    case value
    /// The elements of a list, at least one of which must pass (`ANY`, `SOME`).
    case any
}

/// Equality and order. The raw value is the operator.
package enum Relation: String, CaseIterable, Hashable, Sendable {
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
}

/// The comparisons of a string with a pattern. The raw value is the operator.
package enum TextOperator: String, CaseIterable, Hashable, Sendable {
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    /// For the whole string: `*` matches any string, `?` matches one Unicode scalar, and `\` escapes the next
    /// scalar.
    case like = "LIKE"
    /// The whole string matches a regular expression (``RegularExpression``).
    case matches = "MATCHES"
}

/// The differences to ignore in string comparisons: `[c]`, `[d]`, `[cd]`.
package struct TextOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Upper and lower case (`c`).
    package static let caseInsensitive = TextOptions(rawValue: 1)
    /// Accents (`d`).
    package static let diacriticInsensitive = TextOptions(rawValue: 2)
}

/// Whether all of several conditions must hold, or one of them.
package enum Coverage: Hashable, Sendable {
    case all, any
}

/// A test of a value.
package enum Test: Hashable, Sendable {
    /// `== != < <= > >=`. Options only for strings, with `==` and `!=`.
    case relation(Relation, FieldValue, TextOptions = [])
    /// Is between both values, inclusive.
    case between(FieldValue, FieldValue)
    /// Equals one of the values (`IN`). Options only for strings.
    case oneOf([FieldValue], TextOptions = [])
    /// The beginning, end or form of a string.
    case text(TextOperator, String, TextOptions = [])
    /// `CONTAINS`: a list contains the element, or a string contains the substring. Options only for strings.
    case contains(FieldValue, TextOptions = [])
    /// A list contains all of these elements.
    case containsAll([FieldValue])
    /// Contains all or any of these words, whole, in any order, ignoring case and accents (``Tokenizer``).
    case tokens(String, Coverage)
    /// The great-circle distance from a location, in metres: `<`, `<=`, `>` or `>=`.
    case distance(Relation, Location, metres: Double)
    /// Has a value (`!= nil`).
    case exists
}

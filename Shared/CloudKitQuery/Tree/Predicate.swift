package import CloudKitModel

/// The predicate of a query: comparisons combined by AND, OR and NOT. It does not depend on a record type;
/// ``BoundPredicate`` is the equivalent for the fields of one type.
///
/// Logic is two-valued: a comparison of a field that a record does not have is false, even with `!=`, and NOT makes it
/// true.
package indirect enum Predicate: Hashable, Sendable {
    /// Matches if all of the predicates match. An empty list matches every record (TRUEPREDICATE).
    case and([Predicate])
    /// Matches if at least one of the predicates matches. An empty list matches no record (FALSEPREDICATE).
    case or([Predicate])
    /// Matches if the predicate does not match.
    case not(Predicate)
    /// A test of one field.
    case comparison(Comparison)

    /// TRUEPREDICATE, which matches every record.
    package static let all = Predicate.and([])
    /// FALSEPREDICATE, which matches no record.
    package static let nothing = Predicate.or([])
}

/// A comparison of one field.
package struct Comparison: Hashable, Sendable {
    /// The field.
    package var key: QueryKey
    /// Whether the test applies to the whole value or to the elements of a list.
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
    /// The elements of a list; at least one of them must pass (`ANY`, `SOME`).
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
    /// The whole string matches a pattern in which `*` matches any string, `?` matches one Unicode scalar, and `\`
    /// escapes the next scalar.
    case like = "LIKE"
    /// The whole string matches a regular expression (``RegularExpression``).
    case matches = "MATCHES"
}

/// The differences that string comparisons ignore: `[c]`, `[d]`, `[cd]`.
package struct TextOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Upper and lower case (`c`).
    package static let caseInsensitive = TextOptions(rawValue: 1)
    /// Accents (`d`).
    package static let diacriticInsensitive = TextOptions(rawValue: 2)
}

/// Whether all of several conditions must hold, or at least one of them.
package enum Coverage: Hashable, Sendable {
    case all, any
}

/// A test of a value.
package enum Test: Hashable, Sendable {
    /// `== != < <= > >=`. Options are allowed only for strings, with `==` and `!=`.
    case relation(Relation, FieldValue, TextOptions = [])
    /// Tests whether the value is between these two values, inclusive.
    case between(FieldValue, FieldValue)
    /// Tests whether the value equals one of these values (`IN`). Options are allowed only for strings.
    case oneOf([FieldValue], TextOptions = [])
    /// Compares the beginning, the end or the whole of a string with a pattern.
    case text(TextOperator, String, TextOptions = [])
    /// `CONTAINS`: tests whether a list contains the element, or a string contains the substring. Options are allowed
    /// only for strings.
    case contains(FieldValue, TextOptions = [])
    /// Tests whether a list contains all of these elements.
    case containsAll([FieldValue])
    /// Tests whether the value contains all or any of the words of this string, in any order. Whole words are compared,
    /// ignoring case and accents (``Tokenizer``).
    case tokens(String, Coverage)
    /// Compares the great-circle distance from a location, in metres, using `<`, `<=`, `>` or `>=`.
    case distance(Relation, Location, metres: Double)
    /// Tests whether the field has a value (`!= nil`).
    case exists
}

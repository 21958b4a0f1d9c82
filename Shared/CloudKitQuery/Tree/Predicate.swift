package import CloudKitModel

/// What a query asks of a record: comparisons joined by AND, OR and NOT. It says nothing about types; ``BoundPredicate``
/// is the same for the fields of a record type.
///
/// Logic is two-valued: a comparison of a field that a record does not have is false, also `!=`, and NOT turns it round.
package indirect enum Predicate: Hashable, Sendable {
    /// All of them; of nothing: every record (TRUEPREDICATE).
    case and([Predicate])
    /// At least one of them; of nothing: no record (FALSEPREDICATE).
    case or([Predicate])
    /// Whatever it is not.
    case not(Predicate)
    /// One field's test.
    case comparison(Comparison)

    /// TRUEPREDICATE: every record.
    package static let all = Predicate.and([])
    /// FALSEPREDICATE: no record.
    package static let nothing = Predicate.or([])
}

/// What one field is compared with.
package struct Comparison: Hashable, Sendable {
    /// The field.
    package var key: QueryKey
    /// Whether the test is of the value, or of the elements of a list.
    package var quantifier: Quantifier
    /// What is asked of it.
    package var test: Test

    /// A comparison.
    package init(_ key: QueryKey, _ quantifier: Quantifier = .value, _ test: Test) {
        self.key = key
        self.quantifier = quantifier
        self.test = test
    }
}

/// Of what a test is made.
package enum Quantifier: Hashable, Sendable {
    /// Of the field's value.
    case value
    /// Of each element of a list: one is enough (`ANY`, `SOME`).
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

/// How texts are compared with a pattern. The raw value is the operator.
package enum TextOperator: String, CaseIterable, Hashable, Sendable {
    case beginsWith = "BEGINSWITH"
    case endsWith = "ENDSWITH"
    /// `*` stands for any text, `?` for one Unicode scalar, `\` takes the next one for itself; for the whole text.
    case like = "LIKE"
    /// A regular expression for the whole text (``RegularExpression``).
    case matches = "MATCHES"
}

/// What is of no account when texts are compared: `[c]`, `[d]`, `[cd]`.
package struct TextOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Upper and lower case (`c`).
    package static let caseInsensitive = TextOptions(rawValue: 1)
    /// Accents (`d`).
    package static let diacriticInsensitive = TextOptions(rawValue: 2)
}

/// Whether all of several things are asked for, or one of them.
package enum Coverage: Hashable, Sendable {
    case all, any
}

/// What is asked of a value.
package enum Test: Hashable, Sendable {
    /// `== != < <= > >=`. Options for texts and `==`, `!=` only.
    case relation(Relation, FieldValue, TextOptions = [])
    /// Between both, inclusive.
    case between(FieldValue, FieldValue)
    /// One of them (`IN`). Options for texts only.
    case oneOf([FieldValue], TextOptions = [])
    /// The beginning, end or form of a text.
    case text(TextOperator, String, TextOptions = [])
    /// `CONTAINS`: an element of a list, a part of a text. Options for texts only.
    case contains(FieldValue, TextOptions = [])
    /// A list with all of these elements.
    case containsAll([FieldValue])
    /// Words, whole, in any order, without regard to case and accents (``Tokenizer``).
    case tokens(String, Coverage)
    /// The great-circle distance from a place, in metres: `<`, `<=`, `>` or `>=`.
    case distance(Relation, Location, metres: Double)
    /// Has a value (`!= nil`).
    case exists
}

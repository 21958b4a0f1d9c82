package import CloudKitModel

/// A predicate bound to the fields of one record type: every field exists, every value has a type that its field can be
/// compared with, and every pattern is parsed. Both the translation to SQL and ``BoundPredicate/matches(_:)`` use it.
package indirect enum BoundPredicate: Sendable {
    case and([BoundPredicate])
    case or([BoundPredicate])
    case not(BoundPredicate)
    case comparison(BoundComparison)
}

/// A test of one field.
package struct BoundComparison: Sendable {
    /// The operand.
    package let operand: Operand
    /// Whether the test applies to the elements of a list. If so, at least one element must pass the test.
    package let isAny: Bool
    /// The test.
    package let test: BoundTest

    /// Creates a test of `operand`.
    package init(_ operand: Operand, isAny: Bool = false, _ test: BoundTest) {
        self.operand = operand
        self.isAny = isAny
        self.test = test
    }
}

/// The operand of a comparison.
package enum Operand: Hashable, Sendable {
    /// A field of the record type.
    case field(String, FieldType)
    /// A field that every record has.
    case system(SystemKey)
    /// The words of these fields.
    case words([SearchableField])

    /// The type of the operand's value; nil for words.
    package var type: FieldType? {
        switch self {
        case .field(_, let type): type
        case .system(let key): key.type
        case .words: nil
        }
    }

    /// The name in error messages. For fields, it is the name in the schema.
    package var name: String {
        switch self {
        case .field(let name, _): name
        case .system(let key): key.schemaName
        case .words: QueryKey.allTokens.predicateName
        }
    }
}

/// A test of a value of a suitable type. Integers and doubles are compared by their exact values.
package enum BoundTest: Sendable {
    /// Compares numbers, timestamps or strings; with `==` and `!=`, also references.
    case relation(Relation, FieldValue)
    /// Tests whether the value is between these two values, inclusive.
    case between(FieldValue, FieldValue)
    /// Tests whether the value equals one of these values.
    case oneOf([FieldValue])
    /// Compares a string according to options such as `[c]`, or compares only a part of it.
    case text(TextTest)
    /// Tests whether the whole string matches a regular expression.
    case matches(RegularExpression)
    /// Tests whether a list contains all of these elements.
    case containsAll([FieldValue])
    /// Tests whether the value contains all or any of these words. The words are folded and contain no stop words.
    case tokens([String], Coverage)
    /// Compares the great-circle distance from a location, in metres.
    case distance(Relation, Location, metres: Double)
    /// Tests whether the operand has a value.
    case exists
}

/// A comparison of a string. Both the string and the patterns are folded.
package struct TextTest: Sendable {
    /// The test of the folded string.
    package enum Kind: Sendable {
        case equals(String)
        case notEquals(String)
        case oneOf([String])
        case beginsWith(String)
        case endsWith(String)
        case contains(String)
        case like(WildcardPattern)
    }

    /// The test, with patterns that are already folded.
    package let kind: Kind
    /// The options for folding strings before the comparison.
    package let options: TextOptions
}

extension SystemKey {
    /// The type of the field.
    package var type: FieldType {
        switch self {
        case .recordName, .createdUserRecordName, .modifiedUserRecordName, .parent, .share: .reference
        case .createdTimestamp, .modifiedTimestamp: .timestamp
        }
    }
}

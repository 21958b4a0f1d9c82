package import CloudKitModel

/// A predicate for the fields of one record type: every field is there, every value is of a kind that it can be compared
/// with, every pattern is read. Both evaluators work on it: SQL, and ``BoundPredicate/matches(_:)``.
package indirect enum BoundPredicate: Sendable {
    case and([BoundPredicate])
    case or([BoundPredicate])
    case not(BoundPredicate)
    case comparison(BoundComparison)
}

/// One field's test.
package struct BoundComparison: Sendable {
    /// What is looked at.
    package let operand: Operand
    /// Whether one element of a list is enough.
    package let isAny: Bool
    /// What is asked.
    package let test: BoundTest

    /// A test of `operand`.
    package init(_ operand: Operand, isAny: Bool = false, _ test: BoundTest) {
        self.operand = operand
        self.isAny = isAny
        self.test = test
    }
}

/// What a comparison looks at.
package enum Operand: Hashable, Sendable {
    /// A field of the type.
    case field(String, FieldType)
    /// A field of every record.
    case system(SystemKey)
    /// The words of all these fields.
    case words([SearchableField])

    /// The type of its value; nil for words.
    package var type: FieldType? {
        switch self {
        case .field(_, let type): type
        case .system(let key): key.type
        case .words: nil
        }
    }

    /// The name in error texts: the schema's.
    package var name: String {
        switch self {
        case .field(let name, _): name
        case .system(let key): key.schemaName
        case .words: QueryKey.allTokens.predicateName
        }
    }
}

/// What is asked of a value of the right kind. Numbers of both kinds are compared by what they are.
package enum BoundTest: Sendable {
    /// Of numbers, moments, texts; `==` and `!=` also of references.
    case relation(Relation, FieldValue)
    /// Between both, inclusive.
    case between(FieldValue, FieldValue)
    /// One of them.
    case oneOf([FieldValue])
    /// A text, compared with options or in part.
    case text(TextTest)
    /// A regular expression for the whole text.
    case matches(RegularExpression)
    /// A list with all of these elements.
    case containsAll([FieldValue])
    /// Folded words, without those that are ignored.
    case tokens([String], Coverage)
    /// The great-circle distance from a place, in metres.
    case distance(Relation, Location, metres: Double)
    /// Has a value.
    case exists
}

/// How a text is compared, after it was folded as its patterns are.
package struct TextTest: Sendable {
    /// What is asked of the folded text.
    package enum Kind: Sendable {
        case equals(String)
        case notEquals(String)
        case oneOf([String])
        case beginsWith(String)
        case endsWith(String)
        case contains(String)
        case like(WildcardPattern)
    }

    /// What is asked; patterns are folded.
    package let kind: Kind
    /// How texts are folded before.
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

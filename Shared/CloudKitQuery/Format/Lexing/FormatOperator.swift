/// The operator of a comparison, with its position.
struct FormatOperator {
    enum Kind: Hashable {
        case relation(Relation)
        case text(TextOperator)
        case oneOf
        case between
        case contains
        case tokenMatches
    }

    var kind: Kind
    /// The operator as written in the format.
    var spelling: String
    var position: String.Index

    /// The operators by spelling, with words in upper case.
    static let kinds: [String: Kind] = {
        var kinds: [String: Kind] = [
            "=": .relation(.equal), "<>": .relation(.notEqual), "=<": .relation(.lessOrEqual),
            "=>": .relation(.greaterOrEqual), "IN": .oneOf, "BETWEEN": .between, "CONTAINS": .contains,
            "TOKENMATCHES": .tokenMatches,
        ]
        for relation in Relation.allCases { kinds[relation.rawValue] = .relation(relation) }
        for text in TextOperator.allCases { kinds[text.rawValue] = .text(text) }
        return kinds
    }()

    /// Creates the operator for `token`; nil if it is not an operator.
    init?(_ token: FormatToken) {
        guard token.kind == .word || token.kind == .symbol, let kind = Self.kinds[token.spelling.uppercased()] else {
            return nil
        }
        self.kind = kind
        spelling = String(token.spelling)
        position = token.position
    }

    /// The equivalent operator when the sides are exchanged; nil if none exists.
    var mirrored: FormatOperator? {
        guard case .relation(let relation) = kind else { return nil }
        var mirrored = self
        mirrored.kind = .relation(relation.mirrored)
        return mirrored
    }
}

extension Relation {
    /// The relation of b to a that is equivalent to this relation of a to b.
    fileprivate var mirrored: Relation {
        switch self {
        case .equal, .notEqual: self
        case .less: .greater
        case .lessOrEqual: .greaterOrEqual
        case .greater: .less
        case .greaterOrEqual: .lessOrEqual
        }
    }
}

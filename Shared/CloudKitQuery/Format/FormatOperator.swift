/// The operator of a comparison and where it stands.
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
    /// As it stands in the format.
    var spelling: String
    var position: String.Index

    /// The operators by their spellings, words in capitals.
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

    /// The operator that `token` is, if it is one.
    init?(_ token: FormatToken) {
        guard token.kind == .word || token.kind == .symbol, let kind = Self.kinds[token.spelling.uppercased()] else {
            return nil
        }
        self.kind = kind
        spelling = String(token.spelling)
        position = token.position
    }

    /// The same comparison with its sides exchanged; nil if the operator has no such form.
    var mirrored: FormatOperator? {
        guard case .relation(let relation) = kind else { return nil }
        var mirrored = self
        mirrored.kind = .relation(relation.mirrored)
        return mirrored
    }
}

extension Relation {
    /// The relation of b and a where this one is of a and b.
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

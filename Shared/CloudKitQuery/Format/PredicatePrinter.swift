internal import CloudKitModel

/// Prints predicates with keywords in upper case, strings in single quotes, and only the necessary parentheses.
enum PredicatePrinter {
    /// Returns the format of `predicate`, which must be ``Predicate/flattened``.
    static func format(_ predicate: Predicate) -> String {
        switch predicate {
        case .and([]): "TRUEPREDICATE"
        case .or([]): "FALSEPREDICATE"
        case .and(let parts): parts.map(ofAnd).joined(separator: " AND ")
        case .or(let parts): parts.map(format).joined(separator: " OR ")
        case .not(.comparison(let comparison)) where comparison.quantifier == .value && comparison.test == .exists:
            "\(comparison.key.formatSpelling) == nil"
        case .not(let predicate): "NOT \(ofNot(predicate))"
        case .comparison(let comparison): comparison.formatSpelling
        }
    }

    private static func ofAnd(_ part: Predicate) -> String {
        if case .or(let parts) = part, !parts.isEmpty { "(\(format(part)))" } else { format(part) }
    }

    private static func ofNot(_ predicate: Predicate) -> String {
        if case .and(let parts) = predicate, !parts.isEmpty { "(\(format(predicate)))" } else { ofAnd(predicate) }
    }
}

extension Comparison {
    fileprivate var formatSpelling: String {
        let field = (quantifier == .any ? "ANY " : "") + key.formatSpelling
        return switch test {
        case .relation(let relation, let value, let options):
            "\(field) \(relation.rawValue)\(options.formatSpelling) \(value.formatSpelling)"
        case .between(let lower, let upper): "\(field) BETWEEN \([lower, upper].formatSpelling)"
        case .oneOf(let values, let options): "\(field) IN\(options.formatSpelling) \(values.formatSpelling)"
        case .text(let text, let pattern, let options):
            "\(field) \(text.rawValue)\(options.formatSpelling) \(pattern.formatSpelling)"
        case .contains(let value, let options):
            "\(field) CONTAINS\(options.formatSpelling) \(value.formatSpelling)"
        case .containsAll(let values): "\(field) CONTAINS \(values.formatSpelling)"
        case .tokens(let text, .all): "\(field) TOKENMATCHES[cdl] \(text.formatSpelling)"
        case .tokens(let text, .any): "ANY tokenize(\(text.formatSpelling), 'Cdl') IN \(field)"
        case .distance(let relation, let place, let metres):
            "distanceToLocation:fromLocation:(\(field), \(place.formatSpelling)) \(relation.rawValue) \(metres)"
        case .exists: "\(field) != nil"
        }
    }
}

extension QueryKey {
    /// The key's name in formats, with a `#` if the name without it has a different meaning.
    package var formatSpelling: String {
        guard case .field(let name) = self else { return predicateName }
        guard FormatLexer.isName(name.unicodeScalars) else { return "#\(name.formatSpelling)" }
        return FormatKeyword.isReserved(name) || QueryKey(predicateName: name) != self ? "#\(name)" : name
    }
}

extension TextOptions {
    fileprivate var formatSpelling: String {
        let letters = (contains(.caseInsensitive) ? "c" : "") + (contains(.diacriticInsensitive) ? "d" : "")
        return letters.isEmpty ? "" : "[\(letters)]"
    }
}

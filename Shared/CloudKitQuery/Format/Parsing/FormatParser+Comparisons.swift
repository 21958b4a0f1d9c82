extension FormatParser {
    /// Parses `[quantifier] operand operator [options] operand`.
    mutating func comparison() throws(FormatFault) -> ParsedFormat {
        let quantifier = try quantifier()
        let left = try operand("a comparison")
        let operation = try comparisonOperator()
        let options = try options(of: operation)
        let right = try operand("a value after '\(operation.spelling)'")
        let comparison = FormatComparison(
            quantifier: quantifier, left: left, operation: operation, options: options, right: right)
        return ParsedFormat(comparison.tree, try comparison.predicate())
    }

    /// Parses `"ANY" | "SOME" | "ALL" | "NONE"`.
    private mutating func quantifier() throws(FormatFault) -> FormatQuantifier? {
        guard let quantifier = FormatQuantifier(token) else { return nil }
        try advance()
        return quantifier
    }

    private mutating func comparisonOperator() throws(FormatFault) -> FormatOperator {
        guard let operation = FormatOperator(token) else {
            guard token.keyword == .not else { throw unexpected("an operator such as '=='") }
            throw FormatFault("write NOT before the comparison: NOT (field IN {…})", at: token.position)
        }
        try advance()
        return operation
    }

    /// Parses `[ "[" letters "]" ]`.
    private mutating func options(of operation: FormatOperator) throws(FormatFault) -> FormatOptions {
        var options = FormatOptions()
        guard try skip(symbol: "[") else { return options }
        guard token.kind == .word else { throw unexpected("options such as 'cd'") }
        for position in token.spelling.indices {
            guard let letter = token.spelling[position].lowercased().first, FormatOptions.known.contains(letter) else {
                throw FormatFault("unknown option '\(token.spelling[position])'; use c or d", at: position)
            }
            options.letters.append((letter, position))
        }
        try advance()
        guard try skip(symbol: "]") else { throw unexpected("']'") }
        return options
    }
}

/// The quantifier before a comparison, which says for which elements of a list the comparison must hold.
struct FormatQuantifier {
    enum Kind { case any, all, notAny }

    var kind: Kind
    /// The quantifier as written in the format.
    var spelling: String
    var position: String.Index

    /// Creates the quantifier for `token`; returns nil if it is not a quantifier.
    init?(_ token: FormatToken) {
        switch token.keyword {
        case .anyElement, .someElement: kind = .any
        case .allElements: kind = .all
        case .noElement: kind = .notAny
        default: return nil
        }
        spelling = String(token.spelling)
        position = token.position
    }

    /// Checks that no quantifier is given, because `form` does not support one.
    static func refuse(_ quantifier: FormatQuantifier?, with form: String) throws(FormatFault) {
        guard let quantifier else { return }
        throw FormatFault("\(quantifier.spelling) is not supported with \(form)", at: quantifier.position)
    }
}

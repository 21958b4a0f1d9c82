/// A piece of a format.
struct FormatToken {
    enum Kind: Equatable {
        /// Letters, digits and `_`: a keyword or a name, whichever is due.
        case word
        /// `#name`: a field, whatever else the name means.
        case field(String)
        /// What stands between quotes, without its escapes.
        case text(String)
        /// A number without sign, or what begins like one.
        case number
        /// `%@` and the like.
        case placeholder
        /// An operator, a bracket, a comma, or a character that means nothing.
        case symbol
        /// What follows the last token.
        case end
    }

    var kind: Kind
    /// The token as it stands in the format.
    var spelling: Substring

    var position: String.Index { spelling.startIndex }

    /// The keyword that a word is, in capitals or not.
    var keyword: FormatKeyword? { kind == .word ? FormatKeyword(rawValue: spelling.uppercased()) : nil }

    func isSymbol(_ symbol: String) -> Bool { kind == .symbol && spelling == symbol }

    /// The token as an error names it, or its beginning.
    var quoted: String { "'\(spelling.prefix(64))'" }
}

/// The words that join comparisons, stand before them or are values. Operators are ``FormatOperator``.
enum FormatKeyword: String {
    case and = "AND"
    case or = "OR"
    case not = "NOT"
    case truePredicate = "TRUEPREDICATE"
    case falsePredicate = "FALSEPREDICATE"
    case anyElement = "ANY"
    case someElement = "SOME"
    case allElements = "ALL"
    case noElement = "NONE"
    case yes = "YES"
    case `true` = "TRUE"
    case no = "NO"
    case `false` = "FALSE"
    case null = "NULL"
    case `nil` = "NIL"

    /// Whether a word is a keyword or an operator, and so a field of that name needs a `#`.
    static func isReserved(_ word: some StringProtocol) -> Bool {
        let word = word.uppercased()
        return FormatKeyword(rawValue: word) != nil || FormatOperator.kinds[word] != nil
    }
}

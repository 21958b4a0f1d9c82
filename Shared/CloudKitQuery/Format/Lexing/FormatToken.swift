/// A token of a format.
struct FormatToken {
    enum Kind: Equatable {
        /// Letters, digits and `_`: a keyword or a name, depending on the context.
        case word
        /// `#name`: a field, even if the name also has a different meaning.
        case field(String)
        /// The content of a quoted string, unescaped.
        case text(String)
        /// An unsigned number, or a malformed token that begins with a digit or a point.
        case number
        /// A placeholder such as `%@`.
        case placeholder
        /// An operator, a bracket, a comma or a character without a meaning.
        case symbol
        /// The end of the format.
        case end
    }

    var kind: Kind
    /// The token as written in the format.
    var spelling: Substring

    var position: String.Index { spelling.startIndex }

    /// The keyword, ignoring case; nil if the token is not a keyword.
    var keyword: FormatKeyword? { kind == .word ? FormatKeyword(rawValue: spelling.uppercased()) : nil }

    func isSymbol(_ symbol: String) -> Bool { kind == .symbol && spelling == symbol }

    /// The token in quotes for an error message, truncated to 64 characters.
    var quoted: String { "'\(spelling.prefix(64))'" }
}

/// The words that join comparisons, precede them, or stand for values. ``FormatOperator`` contains the operators.
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

    /// Returns whether a word is a keyword or an operator. A field with such a name must be written with a `#`.
    static func isReserved(_ word: some StringProtocol) -> Bool {
        let word = word.uppercased()
        return FormatKeyword(rawValue: word) != nil || FormatOperator.kinds[word] != nil
    }
}

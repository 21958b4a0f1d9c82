/// Splits a format into tokens and skips white space. It makes one pass over the Unicode scalars rather than over the
/// characters, so that a quote is recognized even if a combining accent follows it.
struct FormatLexer {
    let scalars: String.UnicodeScalarView
    var index: String.Index

    /// Creates a lexer at the start of `format`.
    init(_ format: String) {
        scalars = format.unicodeScalars
        index = scalars.startIndex
    }

    /// The scalar at the cursor; nil at the end.
    var scalar: Unicode.Scalar? { index < scalars.endIndex ? scalars[index] : nil }

    mutating func advance() { scalars.formIndex(after: &index) }

    /// Returns the next token; at the end of the format, always `.end`.
    ///
    /// - Throws: An error for a string that is not terminated or has invalid content, and for an incomplete `#` or `%`.
    mutating func next() throws(FormatFault) -> FormatToken {
        skip { $0.properties.isWhitespace }
        let start = index
        let kind = try kind()
        return FormatToken(kind: kind, spelling: Substring(scalars[start..<index]))
    }

    private mutating func kind() throws(FormatFault) -> FormatToken.Kind {
        guard let first = scalar else { return .end }
        switch first {
        case "'", "\"": return .text(try quotedText())
        case "#": return .field(try fieldName())
        case "%": return try placeholder()
        case _ where first.isDigit || (first == "." && following?.isDigit == true):
            skipNumber()
            return .number
        case _ where first.isNameScalar:
            skip { $0.isNameScalar }
            return .word
        default:
            skipSymbol()
            return .symbol
        }
    }

    private static let pairs: Set<String> = ["==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||"]

    private mutating func skipSymbol() {
        let start = index
        advance()
        guard scalar != nil else { return }
        let end = scalars.index(after: index)
        if Self.pairs.contains(String(scalars[start..<end])) { index = end }
    }

    /// Skips all characters that can be part of a number. The parser validates the number.
    private mutating func skipNumber() {
        let isDecimal = !(scalar == "0" && following?.isNumberPrefix == true)
        var previous: Unicode.Scalar?
        while let scalar {
            let isExponentSign = isDecimal && (previous == "e" || previous == "E") && (scalar == "+" || scalar == "-")
            guard scalar.isNameScalar || scalar == "." || isExponentSign else { return }
            previous = scalar
            advance()
        }
    }

    private mutating func fieldName() throws(FormatFault) -> String {
        advance()
        let start = index
        skip { $0.isNameScalar }
        guard Self.isName(scalars[start..<index]) else {
            throw FormatFault("expected a field's name after '#': ASCII letters, digits and '_'", at: start)
        }
        return String(scalars[start..<index])
    }

    /// Scans `%`, C's size modifiers and the conversion.
    private mutating func placeholder() throws(FormatFault) -> FormatToken.Kind {
        let start = index
        advance()
        if scalar == "%" {
            advance()
            return .symbol
        }
        skip { "hlqjztL".unicodeScalars.contains($0) }
        guard let conversion = scalar, "@KsSdDiuUxXoOfFeEgGaA".unicodeScalars.contains(conversion) else {
            throw FormatFault("expected a placeholder such as '%@', '%K' or '%d'", at: start)
        }
        advance()
        return .placeholder
    }

    private mutating func skip(while condition: (Unicode.Scalar) -> Bool) {
        while let scalar, condition(scalar) { advance() }
    }

    private var following: Unicode.Scalar? {
        let next = scalars.index(after: index)
        return next < scalars.endIndex ? scalars[next] : nil
    }

    /// Returns whether `name` is valid in a format: an ASCII letter or `_`, followed by ASCII letters, digits and `_`.
    static func isName(_ name: some Collection<Unicode.Scalar>) -> Bool {
        guard let first = name.first else { return false }
        return !first.isDigit && name.allSatisfy(\.isNameScalar)
    }
}

extension Unicode.Scalar {
    fileprivate var isDigit: Bool { ("0"..."9").contains(self) }

    fileprivate var isNameScalar: Bool { isDigit || isASCIILetter || self == "_" }

    private var isASCIILetter: Bool { ("a"..."z").contains(self) || ("A"..."Z").contains(self) }

    /// Whether this is the letter in the prefix of a hexadecimal, binary or octal number: `0x`, `0b`, `0o`.
    fileprivate var isNumberPrefix: Bool { "xXbBoO".unicodeScalars.contains(self) }
}

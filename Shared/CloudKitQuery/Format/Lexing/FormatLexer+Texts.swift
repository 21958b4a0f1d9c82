extension FormatLexer {
    /// Scans the string that begins with the quote at the cursor, including the closing quote, and returns its
    /// unescaped content.
    mutating func quotedText() throws(FormatFault) -> String {
        let quote = scalar
        advance()
        var text = String.UnicodeScalarView()
        while let scalar, scalar != quote {
            let start = index
            advance()
            let meant = scalar == "\\" ? try escape(from: start) : scalar
            guard meant != "\0" else { throw FormatFault("a string must not contain NUL", at: start) }
            text.append(meant)
        }
        guard scalar != nil else { throw FormatFault("expected the closing \(quote ?? "'") of a string", at: index) }
        advance()
        return String(text)
    }

    /// Decodes the escape whose `\` is at `start`.
    private mutating func escape(from start: String.Index) throws(FormatFault) -> Unicode.Scalar {
        guard let letter = scalar else { throw FormatFault("expected a character after '\\'", at: index) }
        advance()
        switch letter {
        case "\\", "'", "\"": return letter
        case "n": return "\n"
        case "t": return "\t"
        case "r": return "\r"
        case "b": return "\u{8}"
        case "f": return "\u{C}"
        case "u": return try unicodeEscape(from: start)
        default:
            throw FormatFault(
                "'\\\(letter)' is not an escape; use \\\\ \\' \\\" \\n \\t \\r \\b \\f and \\uXXXX", at: start)
        }
    }

    /// Decodes the scalar of one UTF-16 unit, or of a surrogate pair whose second unit has its own `\u`.
    private mutating func unicodeEscape(from start: String.Index) throws(FormatFault) -> Unicode.Scalar {
        let unit = try hexadecimalUnit()
        guard UTF16.isSurrogate(unit) else { return Unicode.Scalar(unit) ?? "\u{FFFD}" }
        let loneSurrogate = FormatFault("half of a surrogate pair is not a character", at: start)
        guard UTF16.isLeadSurrogate(unit), scalar == "\\" else { throw loneSurrogate }
        advance()
        guard scalar == "u" else { throw loneSurrogate }
        advance()
        let trail = try hexadecimalUnit()
        guard UTF16.isTrailSurrogate(trail) else { throw loneSurrogate }
        return UTF16.decode(UTF16.EncodedScalar([unit, trail]))
    }

    private mutating func hexadecimalUnit() throws(FormatFault) -> UInt16 {
        var unit: UInt16 = 0
        for _ in 0..<4 {
            guard let scalar, scalar.isASCII, let digit = Character(scalar).hexDigitValue else {
                throw FormatFault("expected four hexadecimal digits after '\\u'", at: index)
            }
            unit = unit << 4 | UInt16(digit)
            advance()
        }
        return unit
    }
}

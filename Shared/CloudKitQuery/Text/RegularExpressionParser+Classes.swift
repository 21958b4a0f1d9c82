extension RegularExpressionParser {
    /// The meaning of an escape.
    enum Escape {
        case scalar(Unicode.Scalar)
        case member(ScalarClass.Member)
    }

    /// Parses a class after its `[`.
    mutating func scalarClass() throws(RegularExpressionError) -> ScalarClass {
        let start = offset - 1
        let isNegated = skip("^")
        var ranges: [ClosedRange<UInt32>] = []
        var members: [ScalarClass.Member] = []
        var isFirst = true
        while isFirst || !isAt("]") {
            guard !isAtEnd else { throw fault("A '[' is not closed", at: start) }
            let place = offset
            switch try classItem(isFirst: isFirst) {
            case .member(let member): members.append(member)
            case .scalar(let first):
                let last = try rangeEnd() ?? first
                guard first <= last else { throw fault("A range ends before it begins", at: place) }
                ranges.append(first.value...last.value)
            }
            isFirst = false
        }
        _ = skip("]")
        return ScalarClass(ranges: ranges, members: members, isNegated: isNegated)
    }

    private mutating func classItem(isFirst: Bool) throws(RegularExpressionError) -> Escape {
        let start = offset
        if isAt("[") { throw unsupported("A class within a class", at: start) }
        if isAt("&&") || isAt("--") { throw unsupported("A set operation ('&&' or '--')", at: start) }
        let scalar = advance()
        if scalar == "\\" { return try escape() }
        guard scalar != "-" || isFirst || isAt("]") else { throw fault("The range has no start; write \\-", at: start) }
        return .scalar(scalar)
    }

    /// Parses the `-` and the end of a range; returns nil if there is no `-`, or if the `-` is a literal before the
    /// `]`.
    private mutating func rangeEnd() throws(RegularExpressionError) -> Unicode.Scalar? {
        guard isAt("-"), !isAt("-]"), !isAt("--") else { return nil }
        _ = advance()
        guard !isAtEnd else { return nil }
        let start = offset
        guard case .scalar(let last) = try classItem(isFirst: false) else {
            throw fault("A range must end with one character", at: start)
        }
        return last
    }
}

// MARK: Escapes

extension RegularExpressionParser {
    /// Parses an escape after its `\`.
    mutating func escape() throws(RegularExpressionError) -> Escape {
        let start = offset - 1
        guard !isAtEnd else { throw fault("A character must follow '\\'; for a backslash, write \\\\", at: start) }
        let scalar = advance()
        switch scalar {
        case "n": return .scalar("\n")
        case "t": return .scalar("\t")
        case "r": return .scalar("\r")
        case "f": return .scalar("\u{C}")
        case "u": return .scalar(try scalarValue(digits: 4, from: start))
        case "x": return .scalar(try skip("{") ? bracedValue(from: start) : scalarValue(digits: 2, from: start))
        case "d", "D": return .member(.init(kind: .categories([.decimalNumber]), isNegated: scalar == "D"))
        case "s", "S": return .member(.init(kind: .whiteSpace, isNegated: scalar == "S"))
        case "w", "W": return .member(.init(kind: .word, isNegated: scalar == "W"))
        case "p", "P": return .member(.init(kind: .categories(try categories(from: start)), isNegated: scalar == "P"))
        case "1"..."9", "k": throw unsupported("A back-reference '\\\(scalar)'", at: start)
        case "b", "B": throw unsupported("A word boundary '\\\(scalar)'", at: start)
        case "0", "a"..."z", "A"..."Z": throw unsupported("'\\\(scalar)'", at: start)
        default: return .scalar(scalar)
        }
    }

    private mutating func scalarValue(digits: Int, from start: Int) throws(RegularExpressionError) -> Unicode.Scalar {
        var text = ""
        while text.utf8.count < digits, let digit = peek(), digit.properties.isASCIIHexDigit {
            text.unicodeScalars.append(advance())
        }
        guard text.utf8.count == digits, let scalar = Self.scalar(hexadecimal: text) else {
            throw fault("\(digits) hexadecimal digits of a Unicode scalar must follow", at: start)
        }
        return scalar
    }

    private mutating func bracedValue(from start: Int) throws(RegularExpressionError) -> Unicode.Scalar {
        guard let text = braced(), (1...6).contains(text.utf8.count), let scalar = Self.scalar(hexadecimal: text) else {
            throw fault("1 to 6 hexadecimal digits of a Unicode scalar and a '}' must follow", at: start)
        }
        return scalar
    }

    private mutating func categories(from start: Int) throws(RegularExpressionError) -> [Unicode.GeneralCategory] {
        guard skip("{"), let name = braced() else {
            throw fault("A category in braces, such as {L}, must follow", at: start)
        }
        let categories = Unicode.GeneralCategory.named(name)
        guard !categories.isEmpty else { throw fault("Unknown category '\(name)'", at: start) }
        return categories
    }

    /// Parses ASCII letters and digits up to a `}`; returns nil if another character precedes the `}`.
    private mutating func braced() -> String? {
        var text = ""
        while let scalar = peek(), scalar.isASCII, Character(scalar).isLetter || Character(scalar).isNumber {
            text.unicodeScalars.append(advance())
        }
        return skip("}") ? text : nil
    }

    private static func scalar(hexadecimal text: String) -> Unicode.Scalar? {
        UInt32(text, radix: 16).flatMap(Unicode.Scalar.init)
    }
}

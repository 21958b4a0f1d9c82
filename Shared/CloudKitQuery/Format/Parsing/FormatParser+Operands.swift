internal import CloudKitModel

extension FormatParser {
    /// Parses `field | value | list | function`. If there is no operand, the error says that `expected` is missing.
    ///
    /// - Parameter level: The number of enclosing lists and function calls.
    mutating func operand(_ expected: String, level: Int = 0) throws(FormatFault) -> FormatOperand {
        let operand = try term(expected, level: level)
        if token.kind == .symbol, ["+", "-", "*", "/", "%%"].contains(token.spelling) {
            throw FormatFault("arithmetic is not supported, except now() - seconds", at: token.position)
        }
        return operand
    }

    /// Parses an operand without checking that no arithmetic follows it.
    mutating func term(_ expected: String, level: Int) throws(FormatFault) -> FormatOperand {
        let start = token.position
        switch token.kind {
        case .text(let text):
            try advance()
            return try constant(.string(text), at: start)
        case .number: return try number(sign: "", from: start)
        case .field(let name):
            try advance()
            return try named(FormatOperand(kind: .key(.field(name)), position: start))
        case .placeholder: return try placeholder()
        case .word: return try word(level: level)
        case .symbol where token.isSymbol("-") || token.isSymbol("+"):
            let sign = String(token.spelling)
            try advance()
            guard token.kind == .number else { throw unexpected("a number after '\(sign)'") }
            return try number(sign: sign, from: start)
        case .symbol where token.isSymbol("{"): return try list(level: level)
        case .symbol where token.isSymbol("$"):
            throw FormatFault("variables such as $NAME are not supported", at: start)
        case .symbol where token.isSymbol("@"): throw FormatFault.aggregate(at: start)
        case .symbol, .end: throw unexpected(expected)
        }
    }

    private mutating func number(sign: String, from start: String.Index) throws(FormatFault) -> FormatOperand {
        let digits = sign + token.spelling
        switch FormatNumber(digits) {
        case .malformed: throw FormatFault("\(token.quoted) is not a number", at: token.position)
        case .tooLarge: throw FormatFault("the number \(token.quoted) is too large", at: token.position)
        case .value(let value):
            try advance()
            return FormatOperand(kind: .value(value), position: start, digits: digits)
        }
    }

    /// Parses `keyword | name | function`.
    private mutating func word(level: Int) throws(FormatFault) -> FormatOperand {
        let word = token
        let keyword = token.keyword
        try advance()
        if token.isSymbol("(") || token.isSymbol(":") { return try function(word, level: level) }
        switch keyword {
        case .yes, .true: return FormatOperand(kind: .value(.int64(1)), position: word.position)
        case .no, .false: return FormatOperand(kind: .value(.int64(0)), position: word.position)
        case .null, .nil: return FormatOperand(kind: .null, position: word.position)
        default: break
        }
        guard !FormatKeyword.isReserved(word.spelling) else {
            throw FormatFault(
                "expected a field or a value, not \(word.quoted); for a field with this name, write #\(word.spelling)",
                at: word.position)
        }
        return try named(Self.key(String(word.spelling), at: word.position))
    }

    /// Returns the operand that `name` denotes where a field is allowed.
    static func key(_ name: String, at position: String.Index) -> FormatOperand {
        let isItself = name.lowercased() == "self"
        return FormatOperand(kind: isItself ? .itself : .key(QueryKey(predicateName: name)), position: position)
    }

    /// Returns `key` after checking that no key path or index follows it, because these are not supported.
    private mutating func named(_ key: FormatOperand) throws(FormatFault) -> FormatOperand {
        let position = token.position
        if token.isSymbol("[") { throw FormatFault("indexing into a list is not supported", at: position) }
        guard try skip(symbol: ".") else { return key }
        guard !token.isSymbol("@") else { throw FormatFault.aggregate(at: token.position) }
        throw FormatFault.keyPath(at: position)
    }

    /// Parses `"{" [ value { "," value } ] "}"`.
    private mutating func list(level: Int) throws(FormatFault) -> FormatOperand {
        let start = token.position
        guard level == 0 else { throw FormatFault.isNotSupportedHere("a list", at: start) }
        try advance()
        var values: [FieldValue] = []
        guard !(try skip(symbol: "}")) else { return FormatOperand(kind: .list([]), position: start) }
        repeat {
            let element = try operand(values.isEmpty ? "a value or '}'" : "a value after ','", level: 1)
            guard let value = element.value else {
                throw FormatFault("expected a value; a list can contain only values", at: element.position)
            }
            values.append(value)
            try Self.checkCount(values.count, at: element.position)
        } while try skip(symbol: ",")
        guard try skip(symbol: "}") else { throw unexpected("',' or '}'") }
        return FormatOperand(kind: .list(values), position: start)
    }

    static func checkCount(_ count: Int, at position: String.Index) throws(FormatFault) {
        guard count > QueryLimits.maxValues else { return }
        throw FormatFault("a list has more than \(QueryLimits.maxValues) values", at: position)
    }
}

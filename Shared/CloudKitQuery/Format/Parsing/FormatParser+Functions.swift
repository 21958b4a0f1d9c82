internal import CloudKitModel

extension FormatParser {
    /// Parses `name "(" [ operand { "," operand } ] ")"`, after `word`, which is the first word of the name.
    ///
    /// - Parameter level: The number of enclosing lists and function calls.
    mutating func function(_ word: FormatToken, level: Int) throws(FormatFault) -> FormatOperand {
        let function = FormatFunction(name: try functionName(word), position: word.position)
        guard token.isSymbol("(") else { throw unexpected("'(' after '\(function.name)'") }
        // The deepest valid form is a literal within a function call within a list or another call.
        guard level < 2, level == 0 || !function.isOfComparison else {
            throw FormatFault.isNotSupportedHere("\(function.name)(…)", at: function.position)
        }
        switch function.name.lowercased() {
        case "now":
            guard try operands(of: function, level).isEmpty else { throw function.expected("now()") }
            return try aroundNow(from: function.position)
        case "cast": return try function.cast(try operands(of: function, level))
        case "reference": return try function.reference(try operands(of: function, level))
        case "location": return try function.location(try operands(of: function, level))
        case "tokenize": return try function.tokenize(try operands(of: function, level))
        case FormatFunction.distance: return try function.distance(try operands(of: function, level))
        case "function", "subquery", "ternary", "blockpredicate":
            throw FormatFault("\(function.name.uppercased()) is not supported", at: function.position)
        default: throw FormatFault("unknown function '\(function.name.prefix(64))'", at: function.position)
        }
    }

    /// Parses a name with its labels, such as `distanceToLocation:fromLocation:`.
    private mutating func functionName(_ word: FormatToken) throws(FormatFault) -> String {
        var name = String(word.spelling)
        while try skip(symbol: ":") {
            name += ":"
            guard token.kind == .word else { break }
            name += token.spelling
            try advance()
        }
        return name
    }

    /// Parses the operands in parentheses. No function has more than three operands.
    private mutating func operands(
        of function: FormatFunction, _ level: Int
    ) throws(FormatFault) -> [FormatOperand] {
        try advance()
        var operands: [FormatOperand] = []
        guard !(try skip(symbol: ")")) else { return operands }
        repeat {
            operands.append(try operand(operands.isEmpty ? "a value or ')'" : "a value after ','", level: level + 1))
            guard operands.count <= 3 else { throw function.expected("at most three values for \(function.name)") }
        } while try skip(symbol: ",")
        guard try skip(symbol: ")") else { throw unexpected("',' or ')'") }
        return operands
    }

    /// Parses `{ ("+" | "-") seconds }` after `now()`. No other arithmetic is supported.
    private mutating func aroundNow(from start: String.Index) throws(FormatFault) -> FormatOperand {
        var milliseconds = now
        while token.isSymbol("+") || token.isSymbol("-") {
            let isBefore = token.isSymbol("-")
            try advance()
            let seconds = try term("a number of seconds", level: 2)
            guard let digits = seconds.digits, let decimal = DecimalText(digits) else {
                throw FormatFault("expected a number of seconds", at: seconds.position)
            }
            guard let distance = decimal.thousandths,
                let moment = Int64(exactly: Int128(milliseconds) + (isBefore ? -distance : distance))
            else { throw FormatFault.tooFar(at: seconds.position) }
            milliseconds = moment
        }
        return FormatOperand(kind: .value(.timestamp(milliseconds)), position: start)
    }
}

internal import CloudKitModel

/// Parses a format by recursive descent, with one method for each rule of the grammar. This file contains the rules for
/// AND, OR and NOT; the rules for operands, functions and comparisons are in separate files.
struct FormatParser {
    private var lexer: FormatLexer
    private(set) var token: FormatToken
    /// The arguments not yet substituted. Their indices are those of the whole list.
    var arguments: ArraySlice<FormatArgument>
    let now: Int64
    private var comparisons = 0
    /// The number of open parentheses and NOTs.
    private var nesting = 0

    /// Creates a parser at the first token of `format`.
    init(_ format: String, _ arguments: [FormatArgument], now: Int64) throws(FormatFault) {
        lexer = FormatLexer(format)
        token = try lexer.next()
        self.arguments = arguments[...]
        self.now = now
    }

    /// Parses `disjunction`, followed by the end of the format.
    mutating func parsed() throws(FormatFault) -> ParsedFormat {
        let parsed = try disjunction()
        guard token.kind == .end else { throw unexpected("AND, OR or the end") }
        guard arguments.isEmpty else {
            throw FormatFault(
                "there are more arguments than placeholders: \(arguments.count) too many", at: token.position)
        }
        return parsed
    }

    /// Parses `conjunction { ("OR" | "||") conjunction }`.
    private mutating func disjunction() throws(FormatFault) -> ParsedFormat {
        let start = token.position
        var parts = [try conjunction()]
        while try skip(.or, "||") { parts.append(try conjunction()) }
        return try bounded(.disjunction(of: parts), from: start)
    }

    /// Parses `negation { ("AND" | "&&") negation }`.
    private mutating func conjunction() throws(FormatFault) -> ParsedFormat {
        let start = token.position
        var parts = [try negation()]
        while try skip(.and, "&&") { parts.append(try negation()) }
        return try bounded(.conjunction(of: parts), from: start)
    }

    /// Parses `("NOT" | "!") negation | primary`.
    private mutating func negation() throws(FormatFault) -> ParsedFormat {
        let start = token.position
        guard try skip(.not, "!") else { return try primary() }
        try descend(at: start)
        defer { nesting -= 1 }
        return .not(try negation())
    }

    /// Parses `"(" disjunction ")" | "TRUEPREDICATE" | "FALSEPREDICATE" | comparison`.
    private mutating func primary() throws(FormatFault) -> ParsedFormat {
        let start = token.position
        if try skip(symbol: "(") {
            try descend(at: start)
            defer { nesting -= 1 }
            let parsed = try disjunction()
            guard try skip(symbol: ")") else { throw unexpected("AND, OR or ')'") }
            return parsed
        }
        if try skip(.truePredicate) { return ParsedFormat(.constant(true), .all) }
        if try skip(.falsePredicate) { return ParsedFormat(.constant(false), .nothing) }
        comparisons += 1
        guard comparisons <= QueryLimits.maxComparisons else {
            throw FormatFault("there are more than \(QueryLimits.maxComparisons) comparisons", at: start)
        }
        return try comparison()
    }

    /// Counts a level before entering it. The limit on levels also bounds the depth of the stack.
    private mutating func descend(at position: String.Index) throws(FormatFault) {
        nesting += 1
        if nesting > QueryLimits.maxDepth { throw tooDeep(at: position) }
    }

    private func bounded(_ parsed: ParsedFormat, from start: String.Index) throws(FormatFault) -> ParsedFormat {
        guard parsed.predicate.levels <= QueryLimits.maxDepth else { throw tooDeep(at: start) }
        return parsed
    }

    private func tooDeep(at position: String.Index) -> FormatFault {
        FormatFault("there are more than \(QueryLimits.maxDepth) levels of parentheses, AND, OR and NOT", at: position)
    }
}

extension FormatParser {
    mutating func advance() throws(FormatFault) { token = try lexer.next() }

    /// Skips `keyword` or `symbol` if it is the current token.
    mutating func skip(_ keyword: FormatKeyword, _ symbol: String? = nil) throws(FormatFault) -> Bool {
        guard token.keyword == keyword || symbol.map(token.isSymbol) == true else { return false }
        try advance()
        return true
    }

    /// Skips `symbol` if it is the current token.
    mutating func skip(symbol: String) throws(FormatFault) -> Bool {
        guard token.isSymbol(symbol) else { return false }
        try advance()
        return true
    }

    /// Returns an error that says that `expected` is missing here.
    func unexpected(_ expected: String) -> FormatFault {
        let found = token.kind == .end ? "" : ", not \(token.quoted)"
        return FormatFault("expected \(expected)\(found)", at: token.position)
    }
}

/// A recursive-descent parser for regular expressions, with one method for each rule:
///
/// ```
/// pattern      = ["(?i)"] alternatives
/// alternatives = sequence { "|" sequence }
/// sequence     = { item [quantifier] }
/// quantifier   = ("*" | "+" | "?" | "{" n ["," [m]] "}") ["?"]
/// item         = "(" ["?:"] alternatives ")" | class | escape | "." | "^" | "$" | scalar
/// ```
struct RegularExpressionParser {
    private static let maxRepetitions = 255

    /// The option that the pattern itself sets with `(?i)`.
    private(set) var options: TextOptions = []
    private let scalars: [Unicode.Scalar]
    /// The index of the next scalar to read.
    private(set) var offset = 0
    private var depth = 0
    /// Whether the cursor is between `\Q` and `\E`.
    private var isQuoting = false

    /// Creates a parser at the first scalar of `pattern`.
    init(_ pattern: String) { scalars = Array(pattern.unicodeScalars) }

    /// Parses the whole pattern.
    mutating func pattern() throws(RegularExpressionError) -> RegularExpressionSyntax {
        if skip("(?i)") { options = .caseInsensitive }
        let syntax = try alternatives()
        guard isAtEnd else { throw fault("Unmatched ')'", at: offset) }
        return syntax
    }

    private mutating func alternatives() throws(RegularExpressionError) -> RegularExpressionSyntax {
        let first = try sequence()
        guard isAt("|") else { return first }
        var all = [first]
        while skip("|") { all.append(try sequence()) }
        return .alternatives(all)
    }

    /// Parses up to a `|`, a `)` or the end.
    private mutating func sequence() throws(RegularExpressionError) -> RegularExpressionSyntax {
        var items: [RegularExpressionSyntax] = []
        skipQuotes()
        while let scalar = peek(), isQuoting || (scalar != "|" && scalar != ")") {
            let item = isQuoting ? .literal([advance()]) : try item()
            skipQuotes()
            items.append(isQuoting ? item : try repeated(item))
            skipQuotes()
        }
        return RegularExpressionSyntax(sequence: items)
    }

    private mutating func item() throws(RegularExpressionError) -> RegularExpressionSyntax {
        let start = offset
        let scalar = advance()
        switch scalar {
        case "(": return try group()
        case "[": return .oneOf(try scalarClass())
        case ".": return .oneOf(.notLineEnds)
        case "^": return .start
        case "$": return .end
        case "\\":
            switch try escape() {
            case .scalar(let scalar): return .literal([scalar])
            case .member(let member): return .oneOf(ScalarClass(members: [member]))
            }
        case "*", "+", "?", "{": throw fault("'\(scalar)' must follow an item that it can repeat", at: start)
        case "}": throw fault("Unmatched '}'; write \\}", at: start)
        default: return .literal([scalar])
        }
    }
}

// MARK: Groups and repetitions

extension RegularExpressionParser {
    /// The unsupported constructs that begin with `(?`.
    private static let refusedGroups = [
        ("(?=", "A look-ahead"), ("(?!", "A look-ahead"), ("(?<=", "A look-behind"), ("(?<!", "A look-behind"),
        ("(?<", "A named group"), ("(?P", "A named group"), ("(?'", "A named group"), ("(?>", "An atomic group"),
        ("(?#", "A comment"),
    ]

    /// Parses a group after its `(`.
    private mutating func group() throws(RegularExpressionError) -> RegularExpressionSyntax {
        let start = offset - 1
        if isAt("?"), !skip("?:") {
            offset = start
            if let refused = Self.refusedGroups.first(where: { isAt($0.0) }) {
                throw unsupported("\(refused.1) '\(refused.0)'", at: start)
            }
            throw fault("The only supported flag is (?i) at the beginning", at: start)
        }
        guard depth < QueryLimits.maxDepth else {
            throw fault("Groups are nested more than \(QueryLimits.maxDepth) levels deep", at: start)
        }
        depth += 1
        let syntax = try alternatives()
        depth -= 1
        guard skip(")") else { throw fault("A '(' is not closed", at: start) }
        return syntax
    }

    /// Returns `item` with the quantifier that follows it, if any.
    private mutating func repeated(_ item: RegularExpressionSyntax) throws(RegularExpressionError)
        -> RegularExpressionSyntax
    {
        let start = offset
        guard let (atLeast, atMost) = try quantifier() else { return item }
        _ = skip("?")
        if isAt("+") { throw unsupported("A possessive repetition", at: offset) }
        if let next = peek(), "*?{".unicodeScalars.contains(next) {
            throw fault("'\(next)' must follow an item that it can repeat", at: offset)
        }
        return .repetition(item, atLeast: atLeast, atMost: atMost, offset: start)
    }

    private mutating func quantifier() throws(RegularExpressionError) -> (atLeast: Int, atMost: Int?)? {
        if skip("*") { return (0, nil) }
        if skip("+") { return (1, nil) }
        if skip("?") { return (0, 1) }
        let start = offset
        guard skip("{") else { return nil }
        guard let atLeast = try count() else { throw fault("A number must follow '{'", at: offset) }
        let atMost = skip(",") ? try count() : atLeast
        guard skip("}") else { throw fault("A '{' is not closed", at: start) }
        if let atMost, atMost < atLeast { throw fault("The maximum \(atMost) is below \(atLeast)", at: start) }
        return (atLeast, atMost)
    }

    private mutating func count() throws(RegularExpressionError) -> Int? {
        let start = offset
        var count: Int?
        while let digit = peek(), ("0"..."9").contains(digit) {
            count = (count ?? 0) * 10 + Int(digit.value - 0x30)
            _ = advance()
            guard count ?? 0 <= Self.maxRepetitions else {
                throw fault("A repetition count can be at most \(Self.maxRepetitions)", at: start)
            }
        }
        return count
    }

    private mutating func skipQuotes() {
        while skip(isQuoting ? "\\E" : "\\Q") { isQuoting.toggle() }
    }
}

// MARK: Reading

extension RegularExpressionParser {
    var isAtEnd: Bool { offset == scalars.count }

    func peek() -> Unicode.Scalar? { isAtEnd ? nil : scalars[offset] }

    func isAt(_ text: String) -> Bool { scalars[offset...].starts(with: text.unicodeScalars) }

    /// Consumes the next scalar, which must exist.
    mutating func advance() -> Unicode.Scalar {
        defer { offset += 1 }
        return scalars[offset]
    }

    mutating func skip(_ text: String) -> Bool {
        guard isAt(text) else { return false }
        offset += text.unicodeScalars.count
        return true
    }

    func fault(_ message: String, at offset: Int) -> RegularExpressionError {
        RegularExpressionError(message: message, offset: offset)
    }

    func unsupported(_ what: String, at offset: Int) -> RegularExpressionError {
        fault("\(what) is not supported", at: offset)
    }
}

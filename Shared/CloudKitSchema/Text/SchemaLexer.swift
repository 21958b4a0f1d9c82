/// A piece of a schema's text.
struct SchemaToken: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// Letters, digits and `_`: a keyword or a name, whichever is due.
        case word
        /// A name in quotes, which are not part of `text`.
        case quoted
        /// One character that stands for itself, or one that means nothing.
        case symbol
        /// What follows the last token.
        case end
    }

    var kind: Kind
    var text: String
    var position: SourcePosition

    /// Whether this is `keyword`, in capitals or not.
    func isKeyword(_ keyword: String) -> Bool { kind == .word && text.uppercased() == keyword }

    /// The token as an error names it, or its beginning.
    var quotedText: String { kind == .end ? "the end of the text" : "'\(text.prefix(64))'" }
}

/// Cuts a schema's text into tokens, leaving out white space and comments. One pass; holds one character at a time.
struct SchemaLexer {
    private var rest: Substring
    private var position = SourcePosition()

    /// A lexer at the start of `text`.
    init(_ text: String) { rest = Substring(text) }

    /// The next token; at the end always `.end`.
    ///
    /// - Throws: for a comment or a quoted name that does not end, at its start.
    mutating func next() throws(SchemaError) -> SchemaToken {
        try skipSpace()
        let start = position
        guard let character = rest.first else { return SchemaToken(kind: .end, text: "", position: start) }
        if character == "\"" { return SchemaToken(kind: .quoted, text: try quotedName(), position: start) }
        if character.isNameCharacter {
            return SchemaToken(kind: .word, text: String(take { $0.isNameCharacter }), position: start)
        }
        advance()
        return SchemaToken(kind: .symbol, text: String(character), position: start)
    }

    private mutating func skipSpace() throws(SchemaError) {
        while let character = rest.first {
            if character.isWhitespace || character == "\u{FEFF}" {
                advance()
            } else if rest.hasPrefix("//") || rest.hasPrefix("--") {
                _ = take { !$0.isLineEnd }
            } else if rest.hasPrefix("/*") {
                try skipBlockComment()
            } else {
                return
            }
        }
    }

    private mutating func skipBlockComment() throws(SchemaError) {
        let start = position
        advance()
        advance()
        while !rest.hasPrefix("*/") {
            guard !rest.isEmpty else { throw SchemaError("A comment that begins with /* does not end", at: start) }
            advance()
        }
        advance()
        advance()
    }

    private mutating func quotedName() throws(SchemaError) -> String {
        let start = position
        advance()
        let name = String(take { $0 != "\"" && !$0.isLineEnd })
        guard rest.first == "\"" else { throw SchemaError("A quoted name does not end on its line", at: start) }
        advance()
        return name
    }

    private mutating func take(while condition: (Character) -> Bool) -> Substring {
        let text = rest.prefix(while: condition)
        // None of what is taken as a whole ends a line.
        position.column += text.count
        rest = rest[text.endIndex...]
        return text
    }

    private mutating func advance() {
        if rest.removeFirst().isLineEnd {
            position = SourcePosition(line: position.line + 1, column: 1)
        } else {
            position.column += 1
        }
    }
}

extension Character {
    /// What editors count lines by; other separators are white space within a line.
    fileprivate var isLineEnd: Bool { self == "\n" || self == "\r\n" || self == "\r" }

    fileprivate var isNameCharacter: Bool { isASCII && (isLetter || isNumber) || self == "_" }
}

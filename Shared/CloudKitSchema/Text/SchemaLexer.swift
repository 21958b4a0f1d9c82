/// A token of a schema's text.
struct SchemaToken: Hashable, Sendable {
    enum Kind: Hashable, Sendable {
        /// Letters, digits and `_`: a keyword or a name, depending on the context.
        case word
        /// A quoted name. `text` does not include the quotes.
        case quoted
        /// A punctuation character or a character without a meaning.
        case symbol
        /// The end of the text.
        case end
    }

    var kind: Kind
    var text: String
    var position: SourcePosition

    /// Whether this is `keyword`, ignoring case.
    func isKeyword(_ keyword: String) -> Bool { kind == .word && text.uppercased() == keyword }

    /// The token as quoted in an error message, truncated to 64 characters.
    var quotedText: String { kind == .end ? "the end of the text" : "'\(text.prefix(64))'" }
}

/// A lexer that splits a schema's text into tokens in one pass, skipping white space and comments.
struct SchemaLexer {
    private var rest: Substring
    private var position = SourcePosition()

    /// Creates a lexer at the start of `text`.
    init(_ text: String) { rest = Substring(text) }

    /// Returns the next token; at the end of the text, always `.end`.
    ///
    /// - Throws: An error for a comment or quoted name that is not closed, with the position of its start.
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
            guard !rest.isEmpty else { throw SchemaError("A comment that begins with /* is not closed", at: start) }
            advance()
        }
        advance()
        advance()
    }

    private mutating func quotedName() throws(SchemaError) -> String {
        let start = position
        advance()
        let name = String(take { $0 != "\"" && !$0.isLineEnd })
        guard rest.first == "\"" else { throw SchemaError("A quoted name is not closed on its line", at: start) }
        advance()
        return name
    }

    private mutating func take(while condition: (Character) -> Bool) -> Substring {
        let text = rest.prefix(while: condition)
        // `text` contains no line end.
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
    /// Whether editors treat this character as the end of a line. Other separators are white space within a line.
    fileprivate var isLineEnd: Bool { self == "\n" || self == "\r\n" || self == "\r" }

    fileprivate var isNameCharacter: Bool { isASCII && (isLetter || isNumber) || self == "_" }
}

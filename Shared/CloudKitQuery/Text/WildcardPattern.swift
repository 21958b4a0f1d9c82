/// The pattern of a LIKE: `*` stands for any text, also none, `?` for one Unicode scalar, `\` takes the next scalar for
/// itself (at the end, itself). A text matches as a whole.
package struct WildcardPattern: Hashable, Sendable {
    /// A piece of the pattern. Adjacent literals are one.
    private enum Piece: Hashable, Sendable {
        case literal(String)
        case anyScalar
        case anyText

        var steps: [Step] {
            switch self {
            case .literal(let text): text.utf8.map(Step.byte)
            case .anyScalar: [.anyScalar]
            case .anyText: [.anyText]
            }
        }
    }

    /// A piece, or a byte of one, as it is compared with a text's UTF-8.
    private enum Step: Hashable, Sendable {
        case byte(UInt8)
        case anyScalar
        case anyText
    }

    /// What is of no account.
    package let options: TextOptions
    private let pieces: [Piece]
    private let steps: [Step]

    /// Reads a pattern; every text is one. With `options` its literals are folded, and so is what it is compared with.
    package init(_ pattern: String, options: TextOptions = []) {
        self.options = options
        var pieces: [Piece] = []
        var literal = String.UnicodeScalarView()
        func endLiteral() {
            let folded = TextFolding.fold(String(literal), options)
            if !folded.isEmpty { pieces.append(.literal(folded)) }
            literal.removeAll()
        }
        var scalars = pattern.unicodeScalars.makeIterator()
        while let scalar = scalars.next() {
            switch scalar {
            case "*":
                endLiteral()
                if pieces.last != .anyText { pieces.append(.anyText) }
            case "?":
                endLiteral()
                pieces.append(.anyScalar)
            case "\\": literal.append(scalars.next() ?? scalar)
            default: literal.append(scalar)
            }
        }
        endLiteral()
        self.pieces = pieces
        steps = pieces.flatMap(\.steps)
    }

    /// The texts that every match contains, in this order and apart; folded if the pattern is.
    package var literals: [String] {
        pieces.compactMap { piece in if case .literal(let text) = piece { text } else { nil } }
    }

    /// What every match begins with; folded if the pattern is.
    package var literalPrefix: String { if case .literal(let text)? = pieces.first { text } else { "" } }
}

// MARK: SQL

extension WildcardPattern {
    /// The same pattern for SQL's `LIKE … ESCAPE '\'`; folded if the pattern is.
    package var sqlPattern: String {
        pieces.map { piece in
            switch piece {
            case .literal(let text): Self.escaped(text)
            case .anyScalar: "_"
            case .anyText: "%"
            }
        }.joined()
    }

    /// SQL's pattern for texts that begin with `prefix`.
    package static func sqlPattern(prefix: String) -> String { escaped(prefix) + "%" }

    /// SQL's pattern for texts that end with `suffix`.
    package static func sqlPattern(suffix: String) -> String { "%" + escaped(suffix) }

    /// SQL's pattern for texts with `part` in them.
    package static func sqlPattern(containing part: String) -> String { "%" + escaped(part) + "%" }

    private static func escaped(_ literal: String) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in literal.unicodeScalars {
            if scalar == "%" || scalar == "_" || scalar == "\\" { escaped.append("\\") }
            escaped.append(scalar)
        }
        return String(escaped)
    }
}

// MARK: Matching

extension WildcardPattern {
    /// Whether the whole of `text` matches. Takes memory only to fold; time in the worst case with the product of both
    /// lengths, most often with their sum.
    package func matches(_ text: String) -> Bool {
        var folded = TextFolding.fold(text, options)
        return folded.withUTF8(matches)
    }

    /// If something does not fit, only the last `*` has to take more: what the ones before it took leaves most behind.
    private func matches(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var offset = 0
        var step = 0
        var retry: (step: Int, offset: Int)?
        while offset < text.count {
            if step < steps.count {
                switch steps[step] {
                case .anyText:
                    step += 1
                    retry = (step, offset)
                    continue
                case .anyScalar:
                    step += 1
                    offset = text.endOfScalar(at: offset)
                    continue
                case .byte(text[offset]):
                    step += 1
                    offset += 1
                    continue
                case .byte: break
                }
            }
            guard let last = retry else { return false }
            offset = text.endOfScalar(at: last.offset)
            step = last.step
            retry = (step, offset)
        }
        return steps[step...].allSatisfy { $0 == .anyText }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Where the scalar that begins at `index` ends.
    fileprivate func endOfScalar(at index: Int) -> Int {
        var end = index + 1
        while end < count, self[end].continuesScalar { end += 1 }
        return end
    }
}

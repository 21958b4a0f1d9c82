/// The pattern of a LIKE comparison. `*` matches any string, including the empty one; `?` matches one Unicode scalar;
/// `\` escapes the next scalar, or is a literal if it is at the end of the pattern. The whole string must match.
package struct WildcardPattern: Hashable, Sendable {
    /// A piece of the pattern. Adjacent literals are merged.
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

    /// A step of matching UTF-8: a wildcard or one byte of a literal.
    private enum Step: Hashable, Sendable {
        case byte(UInt8)
        case anyScalar
        case anyText
    }

    /// The differences to ignore.
    package let options: TextOptions
    private let pieces: [Piece]
    private let steps: [Step]

    /// Creates a pattern. Every string is a valid pattern. With `options`, both the literals and the strings to match
    /// are folded.
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

    /// The literals that every match contains, in this order and without overlap. They are folded if the pattern has
    /// options.
    package var literals: [String] {
        pieces.compactMap { piece in if case .literal(let text) = piece { text } else { nil } }
    }

    /// The prefix of every match; empty if none is known. It is folded if the pattern has options.
    package var literalPrefix: String { if case .literal(let text)? = pieces.first { text } else { "" } }
}

// MARK: SQL

extension WildcardPattern {
    /// The equivalent pattern for SQL's `LIKE … ESCAPE '\'`. It is folded if the pattern has options.
    package var sqlPattern: String {
        pieces.map { piece in
            switch piece {
            case .literal(let text): Self.escaped(text)
            case .anyScalar: "_"
            case .anyText: "%"
            }
        }.joined()
    }

    /// Returns the SQL pattern for strings that begin with `prefix`.
    package static func sqlPattern(prefix: String) -> String { escaped(prefix) + "%" }

    /// Returns the SQL pattern for strings that end with `suffix`.
    package static func sqlPattern(suffix: String) -> String { "%" + escaped(suffix) }

    /// Returns the SQL pattern for strings that contain `part`.
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
    /// Returns whether the whole of `text` matches. Allocates memory only for folding. The time is usually proportional
    /// to the sum of both lengths, and in the worst case to their product.
    package func matches(_ text: String) -> Bool {
        var folded = TextFolding.fold(text, options)
        return folded.withUTF8(matches)
    }

    /// After a mismatch, only the last `*` consumes another scalar. Each earlier `*` matched as little text as
    /// possible, which leaves the most text for the rest of the pattern.
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
    /// Returns the end of the scalar that begins at `index`.
    fileprivate func endOfScalar(at index: Int) -> Int {
        var end = index + 1
        while end < count, self[end].continuesScalar { end += 1 }
        return end
    }
}

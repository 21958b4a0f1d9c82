/// The pattern of a MATCHES, in ICU's syntax as far as it can be matched in one pass: no pattern and no text takes longer
/// than their lengths multiplied, whoever wrote them.
///
/// - `abc`, `\.`, `\Q…\E`: themselves. All ASCII but letters and digits may follow a `\`.
/// - `\n \t \r \f`, `\xHH`, `\x{H…}`, `\uHHHH`: one scalar.
/// - `.`: any scalar but line ends: U+000A to U+000D, U+0085, U+2028, U+2029.
/// - `[a-z_]`, `[^a-z]`: one scalar of those, or any other one. A `]` right after the beginning and a `-` at either end
///   are themselves. No classes in classes, no `&&`, `--` and `[:name:]`.
/// - `\d` decimal digits, `\s` white space, `\w` letters, marks, digits, connectors and joiners; `\p{L}`, `\p{Lu}`:
///   general categories by their short names; `\D \S \W \P{…}` the others. All of them in classes, too.
/// - `(…)`, `(?:…)`, `a|b`: groups and alternatives. Nothing is captured.
/// - `* + ? {n} {n,} {n,m}`, with at most 255 for n and m: repetitions. A `?` after them changes nothing for a whole match.
/// - `^`, `$`: the beginning and the end of the text, not of a line.
/// - `(?i)` at the beginning: as with `[c]`.
///
/// Not supported, and refused by name: back-references, look-around and `\b`, possessive repetitions and atomic groups,
/// named groups, other flags.
///
/// With options, literals and the text are folded by ``TextFolding``, and then matched: `.` is one scalar of what the text
/// was folded to. A scalar is in a class if it is itself in the class or is what one of the class is folded to, which is
/// known of the basic multilingual plane. Without regard to case, `Lu`, `Ll` and `Lt` are one.
package struct RegularExpression: Sendable {
    /// What is of no account: the options given, and what `(?i)` adds.
    package let options: TextOptions
    /// The longest text that is known to be in every match, folded with ``options``: for an index to look for first. Nil
    /// if there is none. Looks no further than what the pattern is a sequence of.
    package let requiredLiteral: String?
    private let program: RegularExpressionProgram

    /// Reads a pattern. Costs what its length is, and some microseconds for each class if options are given.
    ///
    /// - Throws: for a pattern that is malformed, longer than ``QueryLimits/maxRegularExpressionBytes``, with more than
    ///   ``QueryLimits/maxDepth`` groups in one another, or too large with its repetitions written out.
    package init(_ pattern: String, options: TextOptions) throws(RegularExpressionError) {
        guard pattern.utf8.count <= QueryLimits.maxRegularExpressionBytes else {
            throw RegularExpressionError(
                message: "A regular expression has at most \(QueryLimits.maxRegularExpressionBytes) bytes", offset: 0)
        }
        var parser = RegularExpressionParser(pattern)
        let parsed = try parser.pattern()
        self.options = options.union(parser.options)
        let syntax = parsed.folded(self.options)
        requiredLiteral = syntax.requiredLiteral
        program = try RegularExpressionProgram(syntax)
    }

    /// Whether the whole of `text` matches. Time is at most its length times the size of the pattern, with repetitions
    /// written out; memory is that size, and the folded text.
    package func matchesWhole(_ text: String) -> Bool {
        // Nothing stops it.
        var watch = MatchWatch()
        return (try? matchesWhole(text, &watch)) ?? false
    }

    /// ``matchesWhole(_:)``.
    ///
    /// - Throws: when `watch` says so before the answer is known.
    func matchesWhole(_ text: String, _ watch: inout MatchWatch) throws(MatchStopped) -> Bool {
        try program.matchesWhole(TextFolding.fold(text, options), &watch)
    }
}

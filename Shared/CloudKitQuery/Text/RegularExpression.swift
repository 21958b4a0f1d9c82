/// The pattern of a MATCHES, in the subset of ICU's syntax that can be matched in one pass: for any pattern and any
/// text, the time is at most proportional to the product of their lengths.
///
/// - `abc`, `\.`, `\Q…\E`: literals. Any ASCII character except letters and digits may follow a `\`.
/// - `\n \t \r \f`, `\xHH`, `\x{H…}`, `\uHHHH`: one scalar.
/// - `.`: any scalar except line ends: U+000A to U+000D, U+0085, U+2028, U+2029.
/// - `[a-z_]`, `[^a-z]`: one scalar of the class, or one that is not in it. A `]` at the beginning and a `-` at
///   either end are literals. Nested classes, `&&`, `--` and `[:name:]` are not supported.
/// - `\d` decimal digits, `\s` white space, `\w` letters, marks, digits, connectors and joiners; `\p{L}`, `\p{Lu}`:
///   general categories by their short names; `\D \S \W \P{…}` their complements. All of them are also allowed in
///   classes.
/// - `(…)`, `(?:…)`, `a|b`: groups and alternatives. Nothing is captured.
/// - `* + ? {n} {n,} {n,m}`, with at most 255 for n and m: repetitions. A `?` after them has no effect on a whole
///   match.
/// - `^`, `$`: the beginning and the end of the text, not of a line.
/// - `(?i)` at the beginning: the same as `[c]`.
///
/// The following are not supported and rejected by name: back-references, look-around and `\b`, possessive
/// repetitions and atomic groups, named groups, other flags.
///
/// With options, literals and the text are folded by ``TextFolding`` before matching: `.` matches one scalar of the
/// folded text. A scalar is in a class if the class contains it, or contains a scalar whose folded form it is; the
/// latter is limited to the basic multilingual plane. If case is ignored, `Lu`, `Ll` and `Lt` are equivalent.
package struct RegularExpression: Sendable {
    /// The differences to ignore: the given options, and those that `(?i)` adds.
    package let options: TextOptions
    /// The longest string known to occur in every match, folded with ``options``, by which an index can narrow a
    /// search; nil if no such string is known. Does not consider alternatives and repetitions.
    package let requiredLiteral: String?
    private let program: RegularExpressionProgram

    /// Parses a pattern. The cost is linear in its length, plus some microseconds for each class if options are
    /// given.
    ///
    /// - Throws: If the pattern is malformed, longer than ``QueryLimits/maxRegularExpressionBytes``, has more than
    ///   ``QueryLimits/maxDepth`` nested groups, or is too large with its repetitions expanded.
    package init(_ pattern: String, options: TextOptions) throws(RegularExpressionError) {
        guard pattern.utf8.count <= QueryLimits.maxRegularExpressionBytes else {
            throw RegularExpressionError(
                message: "The regular expression has more than \(QueryLimits.maxRegularExpressionBytes) bytes",
                offset: 0)
        }
        var parser = RegularExpressionParser(pattern)
        let parsed = try parser.pattern()
        self.options = options.union(parser.options)
        let syntax = parsed.folded(self.options)
        requiredLiteral = syntax.requiredLiteral
        program = try RegularExpressionProgram(syntax)
    }

    /// Whether the whole of `text` matches. The time is at most proportional to the length of the text times the
    /// size of the pattern with its repetitions expanded. Memory is proportional to that size plus the folded text.
    package func matchesWhole(_ text: String) -> Bool {
        // Never stops the evaluation.
        var watch = MatchWatch()
        return (try? matchesWhole(text, &watch)) ?? false
    }

    /// ``matchesWhole(_:)`` with a stop condition.
    ///
    /// - Throws: If `watch` stops the evaluation before the result is known.
    func matchesWhole(_ text: String, _ watch: inout MatchWatch) throws(MatchStopped) -> Bool {
        try program.matchesWhole(TextFolding.fold(text, options), &watch)
    }
}

/// The pattern of a MATCHES comparison, in the subset of ICU's syntax that can be matched in one pass. The matching
/// time is at most proportional to the length of the text times the size of the pattern with its repetitions expanded.
///
/// - `abc`, `\.`, `\Q…\E`: literals. A `\` makes any ASCII character other than a letter or digit a literal.
/// - `\n \t \r \f`, `\xHH`, `\x{H…}`, `\uHHHH`: one scalar.
/// - `.`: any scalar except the line ends, which are U+000A to U+000D, U+0085, U+2028 and U+2029.
/// - `[a-z_]`, `[^a-z]`: one scalar that is in the class, or one that is not. A `]` at the beginning and a `-` at
///   either end are literals. Nested classes, `&&`, `--` and `[:name:]` are not supported.
/// - `\d` decimal digits, `\s` white space, `\w` letters, marks, digits, connectors and joiners; `\p{L}`, `\p{Lu}`:
///   general categories by their short names; `\D \S \W \P{…}`: the complements. All of these are also allowed in
///   classes.
/// - `(…)`, `(?:…)`, `a|b`: groups and alternatives. Nothing is captured.
/// - `* + ? {n} {n,} {n,m}`: repetitions, where n and m are at most 255. A `?` after a repetition is accepted, but does
///   not affect whether the whole text matches.
/// - `^`, `$`: the beginning and the end of the text, not of a line.
/// - `(?i)` at the beginning: the same as `[c]`.
///
/// The following are rejected with an error that names them: back-references, look-around, `\b`, possessive
/// repetitions, atomic groups, named groups and other flags.
///
/// If there are options, literals and the text are folded by ``TextFolding`` before matching, so `.` matches one scalar
/// of the folded text. A folded scalar is in a class if the class contains it or any scalar of the basic multilingual
/// plane that folds to it. If case is ignored, `Lu`, `Ll` and `Lt` are equivalent.
package struct RegularExpression: Sendable {
    /// The differences to ignore: the given options and the option that `(?i)` adds.
    package let options: TextOptions
    /// The longest string known to occur in every match, folded with ``options``; nil if none is known. With an index,
    /// this string can narrow a search. Alternatives and repetitions are not considered.
    package let requiredLiteral: String?
    private let program: RegularExpressionProgram

    /// Parses a pattern. The cost is linear in the pattern's length, plus a few microseconds for each class if options
    /// are given.
    ///
    /// - Throws: An error if the pattern is malformed, is longer than ``QueryLimits/maxRegularExpressionBytes``, has
    ///   more than ``QueryLimits/maxDepth`` nested groups, or is too large with its repetitions expanded.
    package init(_ pattern: String, options: TextOptions) throws(RegularExpressionError) {
        guard pattern.utf8.count <= QueryLimits.maxRegularExpressionBytes else {
            throw RegularExpressionError(
                message: "The regular expression is longer than \(QueryLimits.maxRegularExpressionBytes) bytes",
                offset: 0)
        }
        var parser = RegularExpressionParser(pattern)
        let parsed = try parser.pattern()
        self.options = options.union(parser.options)
        let syntax = parsed.folded(self.options)
        requiredLiteral = syntax.requiredLiteral
        program = try RegularExpressionProgram(syntax)
    }

    /// Returns whether the whole of `text` matches. The time is at most proportional to the length of the text times
    /// the size of the pattern with its repetitions expanded. The memory used is proportional to that size plus the
    /// length of the folded text.
    package func matchesWhole(_ text: String) -> Bool {
        // This watch never stops the evaluation.
        var watch = MatchWatch()
        return (try? matchesWhole(text, &watch)) ?? false
    }

    /// Returns whether the whole of `text` matches, as ``matchesWhole(_:)`` does, but with a stop condition.
    ///
    /// - Throws: ``MatchStopped`` if `watch` stops the evaluation before the result is known.
    func matchesWhole(_ text: String, _ watch: inout MatchWatch) throws(MatchStopped) -> Bool {
        try program.matchesWhole(TextFolding.fold(text, options), &watch)
    }
}

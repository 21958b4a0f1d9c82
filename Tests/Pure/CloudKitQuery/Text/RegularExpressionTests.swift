import Testing

@testable import CloudKitQuery

struct RegularExpressionTests {
    private static let patterns: [(String, [String], [String])] = [
        ("", [""], ["a", " "]),
        ("abc", ["abc"], ["ab", "abcd", "ABC", ""]),
        ("a|b|", ["a", "b", ""], ["ab"]),
        ("a|bc", ["a", "bc"], ["ac", "abc"]),
        ("x(a|b)y", ["xay", "xby"], ["xy", "xaby"]),
        ("(?:ab)+c?", ["ab", "abab", "ababc"], ["", "abcc", "aab"]),
        ("a*?b+?c??", ["b", "aabbc"], ["a", "abcc"]),
        ("a{3}", ["aaa"], ["aa", "aaaa"]),
        ("a{2,}", ["aa", "aaaaa"], ["a"]),
        ("(ab){1,2}?", ["ab", "abab"], ["", "ababab"]),
        ("a{0}b{0,0}", [""], ["a", "b"]),
        ("a{0,2}b", ["b", "aab"], ["aaab"]),
        (".", ["a", "é", "🦊", "\t"], ["", "\n", "\r", "\u{B}", "\u{85}", "\u{2028}", "ab"]),
        (".*", ["", "any thing"], ["two\nlines"]),
        ("^ab$", ["ab"], ["a", "ab\n"]),
        ("(^a|b)*", ["", "a", "abb", "bb"], ["aa", "ba"]),
        ("a$|b$c", ["a"], ["bc", "b"]),
        ("^^$$", [""], ["a"]),
        ("[abc]", ["a", "c"], ["d", "", "ab"]),
        ("[^abc]", ["d", "🦊", "\n"], ["a", ""]),
        ("[a-cx-z]+", ["axbz"], ["d", "aw"]),
        ("[]a]+", ["]a"], ["b"]),
        ("[^]a]", ["b"], ["]", "a"]),
        ("[-a]+[a-]", ["-a-", "aa"], ["b"]),
        ("[.*+?(){}|$^&]+", [".*+?(){}|$^&"], ["a"]),
        ("[\\d\\]\\-x]+", ["5]-x"], ["y"]),
        ("[^\\D]", ["5", "٣"], ["a"]),
        ("[\\W\\d]+", ["5-"], ["a"]),
        ("[\\x41-\\u0043]", ["A", "B", "C"], ["D", "-"]),
        ("]", ["]"], []),
        ("\\d+", ["42", "٣"], ["", "4a", "½"]),
        ("\\D", ["a"], ["1"]),
        ("\\w+", ["aé_9\u{301}\u{200D}東"], ["a-b", " "]),
        ("\\W", ["-", "🦊"], ["a", "_"]),
        ("\\s+", [" \t\n\u{A0}\u{2003}"], ["a", ""]),
        ("\\S", ["a"], [" "]),
        ("\\n\\t\\r\\f", ["\n\t\r\u{C}"], ["ntrf"]),
        ("\\x41\\x{1F98A}\\u00e9", ["A🦊\u{E9}"], ["A🦊e\u{301}"]),
        ("\\.\\*\\\\\\/\\-\\ ", [".*\\/- "], ["a*\\/- "]),
        ("\\p{Lu}\\p{Ll}*", ["Abc", "Éa"], ["abc", "AB"]),
        ("\\p{L}\\P{L}\\p{Nd}\\p{P}\\p{S}\\p{Z}", ["a-1.+ "], ["a-a.+ "]),
        ("[\\p{L}\\p{N}]+", ["a1½"], ["-"]),
        ("\\Qa.b*\\E+", ["a.b*", "a.b***"], ["a.b", "axb*"]),
        ("\\Q(a", ["(a"], ["a"]),
        ("x\\Q\\Ey|\\Q|\\E", ["xy", "|"], ["x"]),
        ("(((a)))((b)|())", ["a", "ab"], ["b"]),
        ("(a*)*", ["", "aaa"], ["b"]),
        ("(a|b*)*c", ["c", "abac"], ["ab"]),
        ("[A-Z0-9._%+-]+@[A-Z0-9.-]+\\.[A-Z]{2,4}", ["JOHN@EXAMPLE.COM"], ["john@example.com", "@A.BC"]),
    ]

    @Test(arguments: patterns)
    func aRegularExpressionMatchesWholeTexts(pattern: String, matching: [String], other: [String]) throws {
        let expression = try RegularExpression(pattern, options: [])
        for text in matching { #expect(expression.matchesWhole(text), "\(text)") }
        for text in other { #expect(!expression.matchesWhole(text), "\(text)") }
    }

    @Test(
        arguments: [
            ("Straße", .caseInsensitive, ["STRAßE", "straẞe"], ["strasse"]),
            ("(?i)AbC", [], ["abc", "ABC"], ["abd"]),
            ("(?i)É", .diacriticInsensitive, ["e", "É"], []),
            ("[A-F]+", .caseInsensitive, ["aF", "ABC"], ["g"]),
            ("[^A]", .caseInsensitive, ["b"], ["a", "A"]),
            ("[К-М]", .caseInsensitive, ["к", "М"], ["а"]),
            ("[Ａ-Ｚ]+", .caseInsensitive, ["ａＢ"], ["a"]),
            ("[Σ]", .caseInsensitive, ["ς", "σ", "Σ"], []),
            ("\\p{Lu}\\P{Lu}", .caseInsensitive, ["a1", "A1"], ["ab", "1a"]),
            ("caf\u{E9}s?", .diacriticInsensitive, ["cafe", "cafe\u{301}s", "caf\u{E9}"], ["CAFE"]),
            ("[à-ü]+", .diacriticInsensitive, ["aeu", "àéü"], ["x"]),
            ("e\u{301}+", .diacriticInsensitive, ["e", "é"], ["ee"]),
            ("\u{130}+", .caseInsensitive, ["i\u{307}", "\u{130}"], ["i"]),
            ("Ộ.", .both, ["o1", "\u{1ED9}x"], ["o"]),
            ("각", .diacriticInsensitive, ["각"], ["가"]),
        ] as [(String, TextOptions, [String], [String])])
    func optionsHoldForThePatternAndTheText(pattern: String, options: TextOptions, matching: [String], other: [String])
        throws
    {
        let expression = try RegularExpression(pattern, options: options)
        for text in matching { #expect(expression.matchesWhole(text), "\(text)") }
        for text in other { #expect(!expression.matchesWhole(text), "\(text)") }
    }

    @Test(
        arguments: [
            ("abc", [], "abc"), (".*note.*", [], "note"), ("ab.*cdef.*gh", [], "cdef"), ("x|y", [], nil),
            ("a?", [], nil), ("(abc)?d", [], "d"), ("(?:ab(cd))e", [], "abcde"), ("(ab.)c", [], "ab"),
            ("ab+c", [], "a"), ("[ab]c", [], "c"),
            ("", [], nil), ("^\\Qa.b\\E$", [], "a.b"), ("(ab|cd)ef", [], "ef"), ("É.*Éa", .both, "ea"),
            ("(?i)ABC", [], "abc"), ("\u{301}", .both, nil), ("\\x41\\.\\n", [], "A.\n"),
        ] as [(String, TextOptions, String?)])
    func theTextThatEveryMatchContainsIsKnown(pattern: String, options: TextOptions, literal: String?) throws {
        #expect(try RegularExpression(pattern, options: options).requiredLiteral == literal)
    }

    @Test func theFlagAddsToTheOptions() throws {
        #expect(try RegularExpression("(?i)a", options: .diacriticInsensitive).options == .both)
        #expect(try RegularExpression("a", options: []).options == [])
    }

    @Test(
        arguments: [
            ("(a*)*b", "a"), ("(a|a)*c", "a"), ("(a+a+)+y", "a"), ("((a?){9}){9}b", "a"), ("(.*)*(.*)*(.*)*z", "x"),
            ("(a|aa|aaa)+$b", "a"), ("([a-z]+)+[A-Z]", "q"), (".*.*.*.*.*.*.*.*x", "é"), ("(^|a)*$c", "a"),
        ])
    func noPatternTakesMoreStepsForAScalarThanItsSize(pattern: String, unit: String) throws {
        let expression = try RegularExpression(pattern, options: [])
        var (short, long) = (MatchWatch(), MatchWatch())
        let matchesShort = try expression.matchesWhole(String(repeating: unit, count: 1_000), &short)
        let matchesLong = try expression.matchesWhole(String(repeating: unit, count: 10_000), &long)
        #expect(!matchesShort && !matchesLong)
        #expect(long.steps < 11 * short.steps)
        #expect(long.steps < 10_000 * 2 * 250)
    }

    @Test func anEndedDeadlineStopsTheMatchOfOneLongText() throws {
        // A pattern with the maximum number of instructions, all of which are examined for each scalar.
        let expression = try RegularExpression("(a?){160}b", options: [])
        let text = String(repeating: "a", count: 1 << 20)
        var looks = 0
        var watch = MatchWatch {
            looks += 1
            return looks == 3
        }
        #expect(throws: MatchStopped.self) { try expression.matchesWhole(text, &watch) }
        #expect(looks == 3)
        // The time between two checks, and therefore before the first one, is a small part of the total time.
        looks = 0
        var part = MatchWatch {
            looks += 1
            return false
        }
        _ = try expression.matchesWhole(String(text.prefix(1 << 10)), &part)
        let interval = MatchWatch.stepsBetweenLooks
        #expect(part.steps * (1 << 10) > 1000 * 3 * interval)
        #expect((part.steps / (2 * interval)...part.steps / interval).contains(looks))
    }
}

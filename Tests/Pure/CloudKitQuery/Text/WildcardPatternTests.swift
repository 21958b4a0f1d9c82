import CloudKitQuery
import TestGenerators
import Testing

struct WildcardPatternTests {
    @Test(
        arguments: [
            ("", [""], ["a"]),
            ("*", ["", "a", "abc\n"], []),
            ("?", ["a", "é", "🦊"], ["", "ab", "e\u{301}"]),
            ("a*", ["a", "abc"], ["", "ba"]),
            ("*a", ["a", "bca"], ["ab"]),
            ("a*b*c", ["abc", "aXbYc", "abbcc"], ["ab", "acb", "abcd"]),
            ("a?c", ["abc", "a🦊c"], ["ac", "abbc"]),
            ("**?*", ["a", "ab"], [""]),
            ("*ab*ab", ["abab", "ababab", "xabyab"], ["ab", "aab"]),
            ("\\*\\?\\\\", ["*?\\"], ["a?\\", "\\*\\?\\\\"]),
            ("a\\", ["a\\"], ["a"]),
            ("\\a%_", ["a%_"], ["abc"]),
            ("*🦊?", ["🦊🦊", "x🦊é"], ["🦊"]),
            ("\u{E9}", ["\u{E9}"], ["e\u{301}"]),
        ] as [(String, [String], [String])])
    func aPatternMatchesWholeTexts(pattern: String, matching: [String], other: [String]) {
        let wildcard = WildcardPattern(pattern)
        for text in matching { #expect(wildcard.matches(text), "\(text)") }
        for text in other { #expect(!wildcard.matches(text), "\(text)") }
    }

    @Test func optionsHoldForThePatternAndTheText() {
        let pattern = WildcardPattern("CAF\u{C9}*\\*", options: .both)
        #expect(pattern.matches("Cafe\u{301} au lait*"))
        #expect(!pattern.matches("Cafe\u{301} au lait"))
        #expect(pattern.literals == ["cafe", "*"])
        // An escaped combining mark is folded away. The `*` after it does not become escaped.
        #expect(WildcardPattern("a\\\u{301}*", options: .both).matches("Ab"))
    }

    @Test(
        arguments: [
            ("", "", [], ""), ("abc", "abc", ["abc"], "abc"), ("*", "%", [], ""), ("a**b", "a%b", ["a", "b"], "a"),
            ("?b*", "_b%", ["b"], ""), ("100%_\\\\*", "100\\%\\_\\\\%", ["100%_\\"], "100%_\\"),
            ("a\\*b?c", "a*b_c", ["a*b", "c"], "a*b"), ("\\", "\\\\", ["\\"], "\\"),
        ] as [(String, String, [String], String)])
    func aPatternHasItsSQLAndItsLiterals(pattern: String, sql: String, literals: [String], prefix: String) {
        let wildcard = WildcardPattern(pattern)
        #expect(wildcard.sqlPattern == sql)
        #expect(wildcard.literals == literals)
        #expect(wildcard.literalPrefix == prefix)
    }

    @Test func literalsAreEscapedForSQL() {
        #expect(WildcardPattern.sqlPattern(prefix: "5%_\\*") == "5\\%\\_\\\\*%")
        #expect(WildcardPattern.sqlPattern(suffix: "a_") == "%a\\_")
        #expect(WildcardPattern.sqlPattern(containing: "\\") == "%\\\\%")
        #expect(WildcardPattern.sqlPattern(containing: "%\u{301}") == "%\\%\u{301}%")
    }

    @Test func aPatternMatchesAsItsDefinitionSays() {
        var random = SeededGenerator(seed: 3)
        var matched = 0
        for _ in 0..<20_000 {
            let pattern = random.text(of: "aab**??é🦊\\", atMost: 8)
            let text = random.text(of: "aaabé🦊*", atMost: 8)
            let expected = Self.matches(pattern.unicodeScalars[...], text.unicodeScalars[...])
            #expect(WildcardPattern(pattern).matches(text) == expected, "\(pattern) \(text)")
            if expected { matched += 1 }
        }
        #expect(matched > 1_000)
    }

    private static func matches(
        _ pattern: Substring.UnicodeScalarView, _ text: Substring.UnicodeScalarView
    ) -> Bool {
        guard let first = pattern.first else { return text.isEmpty }
        let rest = pattern.dropFirst()
        switch first {
        case "*": return matches(rest, text) || !text.isEmpty && matches(pattern, text.dropFirst())
        case "?": return !text.isEmpty && matches(rest, text.dropFirst())
        case "\\":
            guard let escaped = rest.first else { return text.elementsEqual("\\".unicodeScalars) }
            return text.first == escaped && matches(rest.dropFirst(), text.dropFirst())
        default: return text.first == first && matches(rest, text.dropFirst())
        }
    }

    @Test func manyWildcardsDoNotTakeLong() {
        let text = String(repeating: "a", count: 10_000)
        #expect(!WildcardPattern(String(repeating: "*a", count: 30) + "*b").matches(text))
        #expect(WildcardPattern(String(repeating: "*a", count: 30) + "*").matches(text))
    }
}

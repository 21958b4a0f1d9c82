import TestGenerators
import Testing

@testable import CloudKitQuery

/// The expected values are the results of PostgreSQL 15 with ICU 72.
struct TextFoldingTests {
    /// A text, and its folded forms for `[c]`, `[d]` and `[cd]`.
    private static let texts: [(String, String, String, String)] = [
        ("", "", "", ""),
        ("Hello, World 42 @[`{~", "hello, world 42 @[`{~", "Hello, World 42 @[`{~", "hello, world 42 @[`{~"),
        ("a\u{0}B", "a\u{0}b", "a\u{0}B", "a\u{0}b"),
        ("İI", "i\u{307}i", "II", "ii"),
        ("ΟΔΟΣ Σ ςσ", "οδοσ σ σσ", "ΟΔΟΣ Σ ςσ", "οδοσ σ σσ"),
        ("Straße ẞ", "straße ß", "Straße ẞ", "straße ß"),
        ("\u{C5}", "\u{E5}", "A", "a"),
        ("A\u{30A}", "a\u{30A}", "A", "a"),
        ("\u{212B}\u{212A}\u{2126}", "\u{E5}kω", "AK\u{3A9}", "akω"),
        ("ﬁ", "ﬁ", "ﬁ", "ﬁ"),
        ("Ǆǅǆ", "ǆǆǆ", "Ǆǅǆ", "ǆǆǆ"),
        ("Ά\u{1F82}", "ά\u{1F82}", "Αα", "αα"),
        ("Йй", "йй", "Ии", "ии"),
        ("가각", "가각", "\u{1100}\u{1161}\u{1100}\u{1161}\u{11A8}", "\u{1100}\u{1161}\u{1100}\u{1161}\u{11A8}"),
        ("Việt Nộ", "việt nộ", "Viet No", "viet no"),
        ("ガ", "ガ", "カ\u{3099}", "カ\u{3099}"),
        ("東京 🦊Á", "東京 🦊á", "東京 🦊A", "東京 🦊a"),
        ("Ａ", "ａ", "Ａ", "ａ"),
        ("Ⱥ𐐀", "ⱥ𐐨", "Ⱥ𐐀", "ⱥ𐐨"),
        ("\u{301}\u{344}", "\u{301}\u{344}", "", ""),
        // Marks are ordered by their combining class.
        ("a\u{20D0}\u{5AE}\u{323}", "a\u{20D0}\u{5AE}\u{323}", "a\u{5AE}\u{20D0}", "a\u{5AE}\u{20D0}"),
        // Vowels that consist of two marks, each of which is ordered separately.
        (
            "\u{5AE}\u{F73}\u{F75}\u{F81}", "\u{5AE}\u{F73}\u{F75}\u{F81}",
            "\u{F71}\u{F71}\u{F71}\u{F72}\u{F80}\u{F74}\u{5AE}", "\u{F71}\u{F71}\u{F71}\u{F72}\u{F80}\u{F74}\u{5AE}"
        ),
    ]

    @Test(arguments: texts)
    func textsAreFoldedAsPostgreSQLFoldsThem(text: String, caseFolded: String, markFolded: String, bothFolded: String) {
        expectSame(TextFolding.fold(text, []), text)
        expectSame(TextFolding.fold(text, [.caseInsensitive]), caseFolded)
        expectSame(TextFolding.fold(text, [.diacriticInsensitive]), markFolded)
        expectSame(TextFolding.fold(text, [.caseInsensitive, .diacriticInsensitive]), bothFolded)
    }

    @Test(arguments: TextOptions.each)
    func foldedTextsStayAsTheyAre(options: TextOptions) {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let text = random.text(of: "aAé\u{301}\u{323}ÅİΣςẞǅЙ각\u{11A8}がậ\u{5B0}\u{20D0}東🦊 ", atMost: 20)
            let folded = TextFolding.fold(text, options)
            expectSame(TextFolding.fold(folded, options), folded)
        }
    }

    @Test(arguments: TextOptions.each)
    func theTableAgreesWithTheDefinitionOfEachScalar(options: TextOptions) {
        for value in stride(from: UInt32(1), to: 0x2_0000, by: 5) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let folded = TextFolding.fold(String(scalar), options)
            guard !TextFolding.equalBytes(folded, TextFolding.foldAsWritten(String(scalar), options)) else { continue }
            Issue.record("U+\(String(value, radix: 16))")
        }
    }

    @Test(arguments: TextOptions.each)
    func marksAreSortedInTheOrderOfTheDefinition(options: TextOptions) {
        var random = SeededGenerator(seed: 5)
        let marks = "\u{301}\u{323}\u{34F}\u{5AE}\u{5B0}\u{F73}\u{F80}\u{3099}\u{20D0}\u{1D165}\u{1D16E}"
        for _ in 0..<3_000 {
            let text = random.text(of: marks + "aÉがậ각İ\u{1D15E}𐐀🦊東", atMost: 12)
            expectSame(TextFolding.fold(text, options), TextFolding.foldAsWritten(text, options))
        }
    }

    @Test func longTextsAndLongRunsOfMarksDoNotTakeLong() {
        let syllables = String(repeating: "각", count: 20_000)
        #expect(TextFolding.fold(syllables + "\u{20D0}\u{5AE}", .both).unicodeScalars.count == 60_002)
        let marks = String(repeating: "\u{20D0}\u{3099}", count: 5_000)
        let ordered = String(repeating: "\u{3099}", count: 5_000) + String(repeating: "\u{20D0}", count: 5_000)
        #expect(TextFolding.equalBytes(TextFolding.fold(marks, .both), ordered))
    }

    @Test func textsAreEqualIfTheirScalarsAre() {
        #expect(TextFolding.equalBytes("é", "é"))
        #expect(!TextFolding.equalBytes("\u{E9}", "e\u{301}"))
        #expect(!TextFolding.equalBytes("a", "ab"))
    }

    @Test func textsAreInTheOrderOfCodePointsAndNotOfUTF16OrOfWords() {
        let ordered = ["", "A", "AB", "B", "a", "e\u{301}", "z", "\u{E9}", "\u{FFFD}", "\u{1F98A}"]
        for (index, one) in ordered.enumerated() {
            for (place, other) in ordered.enumerated() {
                #expect(TextFolding.precedes(one, other) == (index < place))
            }
        }
    }

    private func expectSame(_ text: String, _ expected: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(Array(text.unicodeScalars) == Array(expected.unicodeScalars), sourceLocation: sourceLocation)
    }
}

extension TextOptions {
    static let both: TextOptions = [.caseInsensitive, .diacriticInsensitive]
    static let each: [TextOptions] = [.caseInsensitive, .diacriticInsensitive, .both]
}

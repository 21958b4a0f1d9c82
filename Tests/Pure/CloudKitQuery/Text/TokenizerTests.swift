import CloudKitQuery
import TestGenerators
import Testing

struct TokenizerTests {
    private static let texts: [(String, [String])] = [
        ("", []), (" \n\t", []), ("... -- !? _ __ €", []), ("🦊🇫🇷👨‍👩‍👧", []),
        ("Hello, World! hello", ["hello", "world"]),
        ("The café's CAFE\u{301}", ["the", "cafe's", "cafe"]),
        ("don't 'quoted' rock'n'roll it’s", ["don't", "quoted", "rock'n'roll", "it’s"]),
        ("example.com e.g. a..b end.", ["example.com", "e.g", "a", "b", "end"]),
        ("3.14 1,000,000 1,,2 a1.b 1.a v2.0", ["3.14", "1,000,000", "1", "2", "a1", "b", "a", "v2.0"]),
        ("snake_case _x y_ __a__", ["snake_case", "_x", "y_", "__a__"]),
        ("key:value 12:30 10:00:05", ["key", "value", "12", "30", "10", "00", "05"]),
        ("well-known a/b user@example.com", ["well", "known", "a", "b", "user", "example.com"]),
        ("Übergrößenträger ÅNGSTRÖM", ["ubergroßentrager", "angstrom"]),
        ("ΟΔΥΣΣΕΥΣ Οδυσσεύς", ["οδυσσευσ"]),
        ("Việt Nam", ["viet", "nam"]),
        ("東京都", ["東", "京", "都"]),
        ("ひらがな", ["ひ", "ら", "か\u{3099}", "な"]),
        ("カタカナ カメラ3", ["カタカナ", "カメラ", "3"]),
        ("ｶﾀｶﾅ", ["ｶﾀｶﾅ"]),
        ("東京Tower2階", ["東", "京", "tower2", "階"]),
        ("한국어", ["\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}\u{110B}\u{1165}"]),
        ("ไทย กิน", ["ไ", "ท", "ย", "ก\u{E34}", "น"]),
        ("ג'ירפה צה\"ל ב\" \"שלום\" ר' ג׳", ["ג'ירפה", "צה\"ל", "ב", "שלום", "ר'", "ג׳"]),
        ("مرحبا بالعالم ٣٫٥", ["مرحبا", "بالعالم", "٣٫٥"]),
        ("हिन्दी", ["हिन्दी"]),
        ("co\u{AD}op zero\u{200B}width a\u{200D}b", ["co\u{AD}op", "zero", "width", "a\u{200D}b"]),
        ("\u{5B0}a \u{5B0} b\u{5B0}", ["a", "b\u{5B0}"]),
        ("line\r\nend\u{2028}next", ["line", "end", "next"]),
        ("½ 2² Ⅷ", ["2", "ⅷ"]),
        ("a1b2 7up", ["a1b2", "7up"]),
    ]

    @Test(arguments: texts)
    func wordsAreThoseOfUAX29FoldedAndEachOnce(text: String, words: [String]) {
        let found = Tokenizer.words(in: text)
        #expect(found.map { Array($0.unicodeScalars) } == words.map { Array($0.unicodeScalars) })
    }

    @Test func aSearchLeavesOutTheStopWordsAndAnIndexDoesNot() {
        #expect(Tokenizer.stopWords.count == 33)
        #expect(Tokenizer.query("The Session, after the talk") == ["session", "after", "talk"])
        #expect(Tokenizer.query("To be or not to be") == [])
        #expect(Tokenizer.words(in: "To be or not to be") == ["to", "be", "or", "not"])
    }

    @Test(arguments: ["x", "é", "한", "か"])
    func longWordsAreCutAtTheSameLengthInTextsAndSearches(scalar: String) {
        for text in [String(repeating: "x", count: 254), String(repeating: "y", count: 300)] {
            for word in Tokenizer.words(in: text + scalar + text) {
                #expect(word.unicodeScalars.count <= 255)
            }
        }
        let long = String(repeating: "é", count: 1_000)
        #expect(Tokenizer.words(in: long + "1 " + long + "2") == [String(repeating: "e", count: 255)])
        let greek = String(repeating: "ω", count: 256)
        #expect(Tokenizer.words(in: greek) == [String(repeating: "ω", count: 255)])
    }

    @Test func theWordsOfWordsAreTheWords() {
        var random = SeededGenerator(seed: 2)
        for _ in 0..<5_000 {
            let text = random.text(of: "aZ19éÅßא'\".,:_- \n·\u{301}\u{5B0}\u{200D}東かカ각ไ\u{E34}٣🦊", atMost: 30)
            let words = Tokenizer.words(in: text)
            #expect(Tokenizer.words(in: words.joined(separator: " ")) == words)
            #expect(Set(words).count == words.count)
        }
    }

    @Test func largeTextsAreCutLikeSmallOnes() {
        let text = String(repeating: "alpha beta_1 gamma's 3.5 東 ", count: 20_000)
        #expect(Tokenizer.words(in: text) == ["alpha", "beta_1", "gamma's", "3.5", "東"])
    }
}

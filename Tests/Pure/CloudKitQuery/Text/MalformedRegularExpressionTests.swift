import CloudKitQuery
import TestGenerators
import Testing

struct MalformedRegularExpressionTests {
    /// Invalid patterns. `▸` precedes the scalar that the error names, and is not part of the pattern.
    private static let patterns: [(String, String)] = [
        ("▸*", "'*' must follow an item that it can repeat"), ("a|▸+", "'+' must follow an item that it can repeat"),
        ("a*▸*", "'*' must follow an item that it can repeat"),
        ("a{2}▸{3}", "'{' must follow an item that it can repeat"),
        ("a??▸?", "'?' must follow an item that it can repeat"),
        ("▸{2}", "'{' must follow an item that it can repeat"),
        ("a▸}", "Unmatched '}'; write \\}"),
        ("a*▸+", "A possessive repetition is not supported"), ("a{1,2}▸+", "A possessive repetition is not supported"),
        ("a?▸+b", "A possessive repetition is not supported"),
        ("a{▸", "A number must follow '{'"), ("a{▸,3}", "A number must follow '{'"),
        ("a{▸x}", "A number must follow '{'"),
        ("a▸{1", "A '{' is not closed"), ("a▸{1,x}", "A '{' is not closed"), ("🦊é▸{1;}", "A '{' is not closed"),
        ("a▸{3,2}", "The maximum 2 is below 3"), ("a{▸256}", "A repetition count can be at most 255"),
        ("a{1,▸99999999999999999999}", "A repetition count can be at most 255"),
        ("▸(a", "A '(' is not closed"), ("(a)▸)", "Unmatched ')'"), ("a▸(b(c)", "A '(' is not closed"),
        ("a▸(?=b)", "A look-ahead '(?=' is not supported"), ("▸(?!b)", "A look-ahead '(?!' is not supported"),
        ("▸(?<=b)", "A look-behind '(?<=' is not supported"), ("▸(?<!b)", "A look-behind '(?<!' is not supported"),
        ("▸(?<n>b)", "A named group '(?<' is not supported"), ("▸(?P<n>b)", "A named group '(?P' is not supported"),
        ("▸(?>b)", "An atomic group '(?>' is not supported"), ("▸(?#b)", "A comment '(?#' is not supported"),
        ("▸(?s)a", "The only supported flag is (?i) at the beginning"),
        ("a▸(?i)b", "The only supported flag is (?i) at the beginning"),
        ("▸(?i:b)", "The only supported flag is (?i) at the beginning"),
        ("▸(?", "The only supported flag is (?i) at the beginning"),
        ("(a)▸\\1", "A back-reference '\\1' is not supported"), ("▸\\k<n>", "A back-reference '\\k' is not supported"),
        ("▸\\bword", "A word boundary '\\b' is not supported"), ("a▸\\B", "A word boundary '\\B' is not supported"),
        ("▸\\A", "'\\A' is not supported"), ("a▸\\Z", "'\\Z' is not supported"), ("▸\\0", "'\\0' is not supported"),
        ("▸\\E", "'\\E' is not supported"), ("a▸\\", "A character must follow '\\'; for a backslash, write \\\\"),
        ("▸\\u12", "4 hexadecimal digits of a Unicode scalar must follow"),
        ("▸\\uD800", "4 hexadecimal digits of a Unicode scalar must follow"),
        ("▸\\x4", "2 hexadecimal digits of a Unicode scalar must follow"),
        ("▸\\x{}", "1 to 6 hexadecimal digits of a Unicode scalar and a '}' must follow"),
        ("▸\\x{110000}", "1 to 6 hexadecimal digits of a Unicode scalar and a '}' must follow"),
        ("▸\\x{41", "1 to 6 hexadecimal digits of a Unicode scalar and a '}' must follow"),
        ("▸\\p", "A category in braces, such as {L}, must follow"),
        ("▸\\pL", "A category in braces, such as {L}, must follow"),
        ("▸\\p{L", "A category in braces, such as {L}, must follow"),
        ("▸\\p{}", "Unknown category ''"), ("▸\\P{Greek}", "Unknown category 'Greek'"),
        ("▸\\p{Lx}", "Unknown category 'Lx'"),
        ("▸[a", "A '[' is not closed"), ("▸[", "A '[' is not closed"), ("▸[]", "A '[' is not closed"),
        ("▸[^]", "A '[' is not closed"), ("▸[a-", "A '[' is not closed"),
        ("[a▸[b]]", "A class within a class is not supported"),
        ("[▸[:alpha:]]", "A class within a class is not supported"),
        ("[a▸&&b]", "A set operation ('&&' or '--') is not supported"),
        ("[a▸--b]", "A set operation ('&&' or '--') is not supported"),
        ("[▸z-a]", "A range ends before it begins"), ("[a-c▸-e]", "The range has no start; write \\-"),
        ("[\\d▸-z]", "The range has no start; write \\-"), ("[a-▸\\d]", "A range must end with one character"),
        ("[▸\\1]", "A back-reference '\\1' is not supported"),
        ("▸" + String(repeating: "a", count: 1_025), "The regular expression is longer than 1024 bytes"),
        (
            String(repeating: "(", count: 24) + "▸(a" + String(repeating: ")", count: 25),
            "Groups are nested more than 24 levels deep"
        ),
        ("(a{200}){2}▸{11}", "'{' must follow an item that it can repeat"),
        ("(a{200})▸{11}", "The regular expression is too large after its repetitions are expanded"),
        ("((a{255})▸{255}){255}", "The regular expression is too large after its repetitions are expanded"),
        ("(a{100}b{100})(a{10}b{10})▸{0,90}", "The regular expression is too large"),
        ("▸(a{100}b{100}){2}(a{60}b{60})", "The regular expression is too large"),
    ]

    @Test(arguments: patterns)
    func anErrorSaysWhatIsWrongAndWhere(marked: String, message: String) {
        let parts = marked.split(separator: "▸", omittingEmptySubsequences: false)
        let error = #expect(throws: RegularExpressionError.self) {
            try RegularExpression(parts.joined(), options: [])
        }
        #expect(error?.offset == parts.first?.unicodeScalars.count)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    @Test func patternsOf24LevelsAndTheLargestProgramsAreAccepted() throws {
        let deep = String(repeating: "(", count: 24) + "a" + String(repeating: ")", count: 24)
        #expect(try RegularExpression(deep, options: []).matchesWhole("a"))
        let large = try RegularExpression("(a{50}){10}", options: [])
        #expect(large.matchesWhole(String(repeating: "a", count: 500)))
        #expect(!large.matchesWhole(String(repeating: "a", count: 499)))
    }

    @Test func anyTextIsAPatternOrIsRefusedAtAPlaceInsideIt() {
        var random = SeededGenerator(seed: 4)
        var taken = 0
        for _ in 0..<20_000 {
            let pattern = random.text(of: "ab()[]{}*+?|^$.\\-,:=!<>&dpPLuxQE129🦊", atMost: 14)
            do {
                let expression = try RegularExpression(pattern, options: random.next() % 2 == 0 ? [] : .both)
                _ = expression.matchesWhole("ab(a)b🦊")
                taken += 1
            } catch {
                #expect((0...pattern.unicodeScalars.count).contains(error.offset), "\(pattern)")
                #expect(!error.message.isEmpty)
            }
        }
        #expect(taken > 1_000)
    }
}

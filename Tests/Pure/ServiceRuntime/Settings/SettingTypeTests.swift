import Logging
import Testing

@testable import ServiceRuntime

struct SettingTypeTests {
    @Test(arguments: [("90s", 90), ("5m", 300), ("1h", 3600), ("7d", 604_800), ("30", 30)])
    func aTimeHasAUnitOrIsSeconds(text: String, seconds: Int) throws {
        let time = try SettingType.time(.zero ... .days(30)).parse(text)
        #expect(time == .seconds(seconds))
    }

    @Test(arguments: [(90, "90s"), (300, "5m"), (3600, "1h"), (604_800, "7d"), (0, "0s")])
    func aTimeIsWrittenInItsLongestUnit(seconds: Int, text: String) {
        #expect(SettingType.time(.zero ... .days(30)).text(.seconds(seconds)) == text)
    }

    @Test(arguments: ["", "s", "1.5h", "-1s", "1w", "31d", "9223372036854775807d", "soon"])
    func anythingElseIsNoTime(text: String) {
        #expect(throws: SettingRefusal.self) { try SettingType.time(.seconds(1)...(.days(30))).parse(text) }
    }

    @Test(arguments: ["0", "65", "1.5", "many", "1 "])
    func aNumberIsWholeAndWithinItsRange(text: String) {
        #expect(throws: SettingRefusal.self) { try SettingType.integer(1...64).parse(text) }
    }

    @Test(arguments: [("true", true), ("1", true), ("on", true), ("false", false), ("no", false)])
    func aFlagHasSeveralSpellings(text: String, value: Bool) throws {
        let flag = try SettingType.flag.parse(text)
        #expect(flag == value)
    }

    @Test func aChoiceIsOneOfItsCases() throws {
        let level = try SettingType<Logger.Level>.choice.parse("debug")
        #expect(level == .debug)
        let refusal = #expect(throws: SettingRefusal.self) { try SettingType<Logger.Level>.choice.parse("loud") }
        #expect(refusal?.reason.contains("trace, debug, info") == true)
    }

    @Test(arguments: [("https://h/a//", "https://h/a"), ("http://h", "http://h")])
    func aURLHasNoSlashAtItsEnd(text: String, url: String) throws {
        let parsed = try SettingType.url.parse(text)
        #expect(parsed == url)
    }

    @Test(arguments: ["a b", "a\"b", "ä", "a;drop", String(repeating: "a", count: 64)])
    func aNameInPostgreSQLNeedsNoQuotes(text: String) {
        #expect(throws: SettingRefusal.self) { try SettingType.postgresName.parse(text) }
        let name = try? SettingType.postgresName.parse("zonda_record")
        #expect(name == "zonda_record")
    }
}

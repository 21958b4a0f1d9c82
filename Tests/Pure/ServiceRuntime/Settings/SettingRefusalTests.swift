import Testing

@testable import ServiceRuntime

/// The errors for invalid settings.
struct SettingRefusalTests {
    @Test func allProblemsAreReportedAtOnce() {
        let problems = TestSettings.problems(
            ["ZONDA_ASSET_DIRECTORY": "", "ZONDA_LANES": "0"], options: ["--asset-grace=8d"])
        #expect(
            problems == [
                "--asset-grace: must be a time such as 90s, 5m, 1h or 7d, from 1s to 7d; it is '8d' [asset.grace]",
                "ZONDA_LANES: must be a whole number from 1 to 64; it is '0' [lanes]",
                "ZONDA_ASSET_DIRECTORY: must be set [asset.directory]",
            ])
    }

    @Test(arguments: [#"{"lanes": true}"#, #"{"lanes": 1.5}"#, #"{"lanes": "x"}"#])
    func aWrongValueOfTheFileIsNamedByFileAndPath(text: String) throws {
        let folder = try TestFolder()
        let file = try folder.write("c.json", text)
        let problems = TestSettings.problems(["ZONDA_CONFIG_FILE": file])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("\(file): lanes: must be a whole number from 1 to 64; it is '") == true)
    }

    /// A secret whose format is checked.
    private static let key = Setting(
        "key",
        SettingType<Secret>("key", isSecret: true) { _ throws(SettingRefusal) in throw SettingRefusal("must be good") },
        "a key")

    @Test func theValueOfASecretIsNotRepeated() {
        let settings = ServiceSettings(variables: ["ZONDA_KEY": "hunter2"])
        let error = #expect(throws: SettingError.self) { try settings.read([Self.key]) }
        #expect(error?.description == "ZONDA_KEY: must be good [key]")
    }

    private static let one = Setting(optional: "one", .text, alternative: "other", "one of two")
    private static let other = Setting(optional: "other", .text, "the other")

    @Test(arguments: [
        ([:], "ZONDA_ONE: either this or ZONDA_OTHER must be set [one]"),
        (["ZONDA_ONE": "a", "ZONDA_OTHER": "b"], "ZONDA_ONE: must not be set together with ZONDA_OTHER [one]"),
        (["ZONDA_ONE": "a"], nil), (["ZONDA_OTHER": "b"], nil),
    ])
    func ofTwoAlternativesExactlyOneIsSet(variables: [String: String], problem: String?) {
        let settings = ServiceSettings(variables: variables)
        do {
            _ = try settings.read([Self.one, Self.other])
            #expect(problem == nil)
        } catch {
            #expect(error.description == problem)
        }
    }

    @Test func aSecretIsShownByNothing() {
        let secret = Secret("hunter2")
        var dumped = ""
        dump(["password": secret], to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), "\([secret])", dumped] {
            #expect(!text.contains("hunter2"))
        }
    }
}

import Testing

@testable import ServiceRuntime

/// Settings on the command line.
struct SettingOptionTests {
    private let settings = TestSettings()

    @Test(arguments: [
        ["--lanes", "7", "--faults", "--asset-grace=5s"], ["--faults", "--lanes=7", "--asset-grace", "5s"],
        ["--asset-grace", "5s", "--lanes", "7", "--faults=true"],
    ])
    func aValueFollowsItsOptionOrAnEqualsSignAndAFlagNeedsNone(options: [String]) throws {
        let values = try TestSettings.read(options: options)
        #expect(values[settings.lanes] == 7)
        #expect(values[settings.faults])
        #expect(values[settings.grace] == .seconds(5))
    }

    @Test func aValueMayHoldWhatOptionsAreMadeOf() throws {
        let values = try TestSettings.read(options: ["--asset-directory=--a=b,c d"])
        #expect(values[settings.directory] == "--a=b,c d")
    }

    @Test(arguments: [
        (["--lane", "7"], "--lane: is not an option of this service"),
        (["serve"], "serve: is not an option of this service"),
        (["--lanes"], "--lanes: needs a value"), (["--lanes", "--faults"], "--lanes: needs a value"),
        (["--lanes", "1", "--lanes=2"], "--lanes: is given twice"),
        (["--faults", "--faults"], "--faults: is given twice"),
    ])
    func whatIsWrongIsNamed(options: [String], problem: String) {
        let problems = TestSettings.problems(options: options)
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix(problem) == true)
    }

    @Test(arguments: [["--amqp-password", "hunter2"], ["--amqp-password=hunter2"]])
    func aSecretIsRefusedWithAWordOnWhereItBelongs(options: [String]) throws {
        let problem = try #require(TestSettings.problems(options: options).first)
        #expect(problem.hasPrefix("--amqp-password: is a secret"))
        #expect(problem.contains("ZONDA_AMQP_PASSWORD"))
        #expect(problem.contains("amqp-password in ZONDA_SECRETS_DIRECTORY"))
        #expect(!problem.contains("hunter2"))
    }
}

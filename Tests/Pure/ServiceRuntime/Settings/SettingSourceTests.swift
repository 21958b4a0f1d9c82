import Foundation
import Testing

@testable import ServiceRuntime

/// The sources of a setting, and their precedence.
struct SettingSourceTests {
    private let settings = TestSettings()

    @Test func theCommandLineWinsOverTheEnvironmentAndThatOverTheFile() throws {
        let folder = try TestFolder()
        let file = try folder.write("c.json", #"{"asset": {"grace": "3s"}, "lanes": 3, "faults": true}"#)
        let variables = ["ZONDA_CONFIG_FILE": file, "ZONDA_ASSET_GRACE": "2s", "ZONDA_LANES": "2"]
        let values = try TestSettings.read(variables, options: ["--asset-grace", "1s"])
        #expect(values[settings.grace] == .seconds(1))
        #expect(values[settings.lanes] == 2)
        #expect(values[settings.faults])
        #expect(values[settings.directory] == "/assets")
        #expect(values[settings.password] == nil)
    }

    @Test func anEmptyVariableCountsAsNotSet() throws {
        let folder = try TestFolder()
        let file = try folder.write("c.json", #"{"lanes": "3"}"#)
        let values = try TestSettings.read(["ZONDA_LANES": ""], options: ["--config-file=\(file)"])
        #expect(values[settings.lanes] == 3)
    }

    @Test func anEmptyTextAnywhereElseIsRefusedWhereItIs() throws {
        let folder = try TestFolder()
        let file = try folder.write("c.json", #"{"lanes": ""}"#)
        try folder.write("amqp-password", "\n")
        let problems = TestSettings.problems(
            ["ZONDA_CONFIG_FILE": file, "ZONDA_SECRETS_DIRECTORY": folder.url.path], options: ["--asset-grace="])
        #expect(
            problems == [
                "--asset-grace: must not be empty [asset.grace]", "\(file): lanes: must not be empty [lanes]",
                "\(folder.url.path)/amqp-password: must not be empty [amqp.password]",
            ])
        #expect(
            TestSettings.problems(options: ["--config-file="]) == [
                "--config-file: must not be empty [config.file]"
            ])
    }

    @Test func aSecretIsInTheEnvironmentOrElseInAFileOfItsOwnOrElseInTheFileOfAll() throws {
        let folder = try TestFolder()
        let all = try folder.write("c.json", #"{"amqp": {"password": "all"}}"#)
        let variables = ["ZONDA_CONFIG_FILE": all, "ZONDA_SECRETS_DIRECTORY": folder.url.path]
        #expect(try TestSettings.read(variables)[settings.password] == Secret("all"))
        try folder.write("amqp-password", " own \n\n")
        #expect(try TestSettings.read(variables)[settings.password] == Secret(" own "))
        let both = variables.merging(["ZONDA_AMQP_PASSWORD": "environment"]) { $1 }
        #expect(try TestSettings.read(both)[settings.password] == Secret("environment"))
    }

    /// Kubernetes mounts secrets in this way.
    @Test func theFileOfASecretMayBeASymbolicLink() throws {
        let folder = try TestFolder()
        let path = try folder.write("data", "linked\n")
        try FileManager.default.createSymbolicLink(
            atPath: folder.url.appending(path: "amqp-password").path, withDestinationPath: path)
        let values = try TestSettings.read(["ZONDA_SECRETS_DIRECTORY": folder.url.path])
        #expect(values[settings.password] == Secret("linked"))
    }

    @Test func onlySecretsAreReadFromTheirFolder() throws {
        let folder = try TestFolder()
        try folder.write("lanes", "9")
        let values = try TestSettings.read(["ZONDA_SECRETS_DIRECTORY": folder.url.path])
        #expect(values[settings.lanes] == 4)
    }

    @Test func unknownKeysOfTheFileAreRefusedByTheirPaths() throws {
        let folder = try TestFolder()
        let file = try folder.write(
            "c.json",
            #"{"lanes": 2, "asset": {"grase": "1s"}, "lane": 1, "faults": {"on": 1}, "config": {"file": "x"}}"#)
        let problems = TestSettings.problems(["ZONDA_CONFIG_FILE": file])
        let keys = ["asset.grase", "config.file", "faults.on", "lane"]
        #expect(problems == keys.map { "\(file): \($0): is not a setting that this file may contain" })
    }

    @Test(arguments: [
        (#"{"lanes": [1]}"#, "whose lanes is a"), (#"{"asset": {"grace": null}}"#, "whose asset.grace is a"),
        (#"{"asset": {"grace": "1s"}, "asset.grace": "2s"}"#, "unlike 'asset.grace'"),
        (#"{"asset": {"grace": "1s"}, "": {"asset": {"grace": "2s"}}}"#, "unlike ''"),
        (#"{"asset": {"": "1s"}}"#, "unlike '' in asset"),
    ])
    func aWrongMemberOfTheFileIsNamed(text: String, problem: String) throws {
        let folder = try TestFolder()
        let file = try folder.write("c.json", text)
        let problems = TestSettings.problems(["ZONDA_CONFIG_FILE": file])
        #expect(problems.count == 1)
        #expect(problems.first?.contains(problem) == true, "\(problems)")
    }

    @Test(arguments: ["", "{", "[1]", "3"])
    func aMalformedFileIsNamed(text: String) throws {
        let folder = try TestFolder()
        let file = try folder.write("c.json", text)
        let problem = try #require(TestSettings.problems(["ZONDA_CONFIG_FILE": file]).first)
        #expect(problem.hasPrefix("ZONDA_CONFIG_FILE: must name a UTF-8 JSON file"))
        #expect(problem.hasSuffix("[config.file]"))
    }

    @Test(arguments: [("--config-file", "config.file"), ("--secrets-directory", "secrets.directory")])
    func aSourceThatIsNotThereIsNamed(option: String, key: String) {
        let problems = TestSettings.problems(options: [option, "/nowhere"])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("\(option): must name a f") == true)
        #expect(problems.first?.hasSuffix("; it is '/nowhere' [\(key)]") == true)
    }
}

import Foundation

@testable import ServiceRuntime

/// Settings that belong to no service.
struct TestSettings: SettingGroup {
    let grace = Setting("asset.grace", .time(.seconds(1)...(.days(7))), default: .seconds(90), "a time")
    let lanes = Setting("lanes", .integer(1...64), default: 4, "a number")
    let faults = Setting("faults", .flag, default: false, "a flag")
    let directory = Setting("asset.directory", .path, "a path")
    let password = Setting(optional: "amqp.password", .secret, "a secret")

    static let all = SourceSettings().declared + TestSettings().declared

    /// Reads the settings.
    static func read(
        _ variables: [String: String] = [:], options: [String] = []
    ) throws -> SettingValues {
        let variables = ["ZONDA_ASSET_DIRECTORY": "/assets"].merging(variables) { $1 }
        let options = try SettingOptions(options, of: all)
        return try ServiceSettings(all, options: options, variables: variables).read(all)
    }

    /// Returns the errors of reading the settings; empty if they are valid.
    static func problems(_ variables: [String: String] = [:], options: [String] = []) -> [String] {
        do {
            _ = try read(variables, options: options)
            return []
        } catch {
            return (error as? SettingError)?.problems ?? ["\(error)"]
        }
    }
}

/// A folder that exists as long as a test.
struct TestFolder: ~Copyable {
    let url = FileManager.default.temporaryDirectory.appending(path: "zonda-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(at: url) }

    /// Writes a file and returns its path.
    @discardableResult
    func write(_ name: String, _ text: String) throws -> String {
        let file = url.appending(path: name)
        try text.write(to: file, atomically: true, encoding: .utf8)
        return file.path
    }
}

internal import ArgumentParser
internal import Foundation
internal import ServiceRuntime

/// The command-line options of a subcommand, which specify settings.
struct SettingArguments<Program: ServiceProgram>: ParsableArguments {
    @Argument(
        parsing: .allUnrecognized,
        help: ArgumentHelp(
            "Settings, given as options such as '--log-level debug'; '\(Program.name) settings' lists them.",
            valueName: "settings"))
    var arguments: [String] = []

    func validate() throws {
        do {
            _ = try options()
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// Returns the settings of this process.
    ///
    /// - Throws: a ``SettingError`` that names an invalid option.
    func settings() throws(SettingError) -> ServiceSettings {
        ServiceSettings(Program.settings, options: try options())
    }

    private func options() throws(SettingError) -> SettingOptions {
        try SettingOptions(arguments, of: Program.settings)
    }
}

/// Reports invalid settings.
enum WrongSettings {
    /// Runs `body`. If `body` throws ``SettingError``, the method writes a line for each invalid setting to standard
    /// error and exits with EX_CONFIG (78).
    ///
    /// - Throws: any other error that `body` throws.
    static func end(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as SettingError {
            try FileHandle.standardError.write(contentsOf: Array("\(error)\n".utf8))
            throw ExitCode(EX_CONFIG)
        }
    }
}

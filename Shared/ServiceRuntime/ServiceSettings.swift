internal import Configuration
internal import Foundation

/// What a setting was refused for; the text names the environment variable, never a secret value.
package struct SettingError: Error, CustomStringConvertible {
    /// The sentence for the operator.
    package let description: String

    /// An error of one setting.
    package init(_ variable: String, _ problem: String) { description = "\(variable): \(problem)" }
}

/// The settings of a process, read from environment variables that begin with `ZONDA_`.
package struct ServiceSettings: Sendable {
    private let reader: ConfigReader

    /// Reads the environment of this process.
    package init() { reader = ConfigReader(provider: EnvironmentVariablesProvider()) }

    /// Reads the given variables; for tests.
    package init(variables: [String: String]) {
        reader = ConfigReader(provider: EnvironmentVariablesProvider(environmentVariables: variables))
    }

    /// A text, or nil when it is not set or empty.
    package func text(_ variable: String, isSecret: Bool = false) -> String? {
        guard let value = reader.string(forKey: key(variable), isSecret: isSecret), !value.isEmpty else { return nil }
        return value
    }

    /// A text that must be set.
    package func requiredText(_ variable: String, isSecret: Bool = false) throws(SettingError) -> String {
        guard let value = text(variable, isSecret: isSecret) else { throw SettingError(variable, "must be set") }
        return value
    }

    /// A whole number within a range.
    package func integer(_ variable: String, default defaultValue: Int, in range: ClosedRange<Int>)
        throws(SettingError) -> Int
    {
        guard let value = text(variable) else { return defaultValue }
        guard let number = Int(value), range.contains(number) else {
            throw SettingError(
                variable, "must be a whole number from \(range.lowerBound) to \(range.upperBound), not '\(value)'")
        }
        return number
    }

    /// A time of whole seconds within a range: `90s`, `5m`, `1h`, `7d`; a number alone is seconds.
    package func duration(_ variable: String, default defaultValue: Duration, in range: ClosedRange<Duration>)
        throws(SettingError) -> Duration
    {
        guard let value = text(variable) else { return defaultValue }
        guard let duration = Self.duration(value), range.contains(duration) else {
            let (least, most) = (range.lowerBound.components.seconds, range.upperBound.components.seconds)
            throw SettingError(
                variable, "must be a time such as 90s, 5m, 1h or 7d, from \(least)s to \(most)s, not '\(value)'")
        }
        return duration
    }

    private static func duration(_ text: String) -> Duration? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int64(digits) else { return nil }
        let (seconds, isTooLong) = number.multipliedReportingOverflow(by: unit ?? 1)
        return isTooLong ? nil : .seconds(seconds)
    }

    /// An `http` or `https` address, without a slash at the end; nil when it is not set.
    package func url(_ variable: String) throws(SettingError) -> String? {
        guard var url = text(variable) else { return nil }
        while url.hasSuffix("/") { url.removeLast() }
        guard url.hasPrefix("http://") || url.hasPrefix("https://") else {
            throw SettingError(variable, "must begin with http:// or https://, not '\(url)'")
        }
        return url
    }

    /// `true` or `false`.
    package func flag(_ variable: String, default defaultValue: Bool) throws(SettingError) -> Bool {
        switch text(variable) {
        case nil: return defaultValue
        case "true", "1", "yes", "on": return true
        case "false", "0", "no", "off": return false
        case .some(let value): throw SettingError(variable, "must be true or false, not '\(value)'")
        }
    }

    /// The text of the file that a variable names.
    package func fileText(_ variable: String) throws(SettingError) -> String {
        let path = try requiredText(variable)
        do {
            return try String(contentsOfFile: path, encoding: .utf8)
        } catch {
            throw SettingError(variable, "the file '\(path)' cannot be read")
        }
    }

    private func key(_ variable: String) -> ConfigKey {
        ConfigKey(variable.lowercased().split(separator: "_").map(String.init))
    }
}

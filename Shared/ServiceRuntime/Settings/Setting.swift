/// The declaration of a setting: everything that is needed to read, validate and document it.
///
///     let grace = Setting(
///         "asset.grace", .time(.seconds(1)...(.days(49))), default: .days(7),
///         "the time between the end of a blob's last use and its deletion")
package struct Setting<Value: Sendable>: DeclaredSetting {
    package let name: SettingName
    package let type: String
    package let allowed: String
    package let isSecret: Bool
    package let isQuoted: Bool
    package let absence: String
    package let alternative: SettingName?
    package let summary: String
    private let parse: @Sendable (String?) throws(SettingRefusal) -> Value

    /// Creates a setting that must be set.
    package init(_ name: SettingName, _ type: SettingType<Value>, _ summary: String) {
        self.init(name, type, absence: "required", summary) { text throws(SettingRefusal) in
            guard let text else { throw SettingRefusal("must be set") }
            return try type.parse(text)
        }
    }

    /// Creates a setting with a default.
    package init(_ name: SettingName, _ type: SettingType<Value>, default value: Value, _ summary: String) {
        self.init(name, type, absence: "`\(type.text(value))`", summary) { text throws(SettingRefusal) in
            guard let text else { return value }
            return try type.parse(text)
        }
    }

    /// Creates a setting that may be absent.
    ///
    /// - Parameters:
    ///   - absence: the text that the reference shows as the default.
    ///   - alternative: a second setting, if exactly one of the two must be set.
    package init<Wrapped>(
        optional name: SettingName, _ type: SettingType<Wrapped>, absence: String = "none",
        alternative: SettingName? = nil, _ summary: String
    ) where Value == Wrapped? {
        let absence = alternative.map { "required without `\($0.key)`" } ?? absence
        self.init(name, type, absence: absence, alternative: alternative, summary) { text throws(SettingRefusal) in
            guard let text else { return nil }
            return try type.parse(text)
        }
    }

    private init<Written>(
        _ name: SettingName, _ type: SettingType<Written>, absence: String, alternative: SettingName? = nil,
        _ summary: String, parse: @escaping @Sendable (String?) throws(SettingRefusal) -> Value
    ) {
        self.name = name
        self.type = type.name
        allowed = type.allowed
        isSecret = type.isSecret
        isQuoted = type.isQuoted
        self.absence = absence
        self.alternative = alternative
        self.summary = summary
        self.parse = parse
    }

    package var isFlag: Bool { Value.self == Bool.self }

    package func value(of text: String?) throws(SettingRefusal) -> any Sendable { try parse(text) }
}

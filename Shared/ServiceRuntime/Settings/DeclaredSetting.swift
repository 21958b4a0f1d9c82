/// A ``Setting`` of any type.
package protocol DeclaredSetting: Sendable {
    /// Its key and spellings.
    var name: SettingName { get }
    /// The type's name for the reference.
    var type: String { get }
    /// Range and unit for the reference; may be empty.
    var allowed: String { get }
    /// Whether its value must be shown to nobody. Such a setting is refused as an option, which everybody on the
    /// machine could read.
    var isSecret: Bool { get }
    /// Whether a refusal quotes its text: not that of a secret, nor where people put one by mistake.
    var isQuoted: Bool { get }
    /// Whether its option needs no value.
    var isFlag: Bool { get }
    /// What holds when it is not set, for the reference.
    var absence: String { get }
    /// Another setting of which and this one exactly one must be set.
    var alternative: SettingName? { get }
    /// What it is for, in a clause.
    var summary: String { get }
    /// The value that a text means; no text: that it is not set.
    ///
    /// - Throws: ``SettingRefusal``.
    func value(of text: String?) throws(SettingRefusal) -> any Sendable
}

/// Settings that are declared together, as properties of a struct.
package protocol SettingGroup {}

extension SettingGroup {
    /// All of them in the order of their declarations: a property cannot be forgotten.
    package var declared: [any DeclaredSetting] {
        Mirror(reflecting: self).children.compactMap { $0.value as? any DeclaredSetting }
    }
}

/// Where settings come from, as far as that is a setting itself.
package struct SourceSettings: SettingGroup {
    let file = Setting(
        optional: "config.file", .path, "a JSON file of settings of this service; itself not set in that file")
    let secrets = Setting(
        optional: "secrets.directory", .path, "a folder with a file for each secret, such as `/run/secrets`")

    /// The two settings.
    package init() {}
}

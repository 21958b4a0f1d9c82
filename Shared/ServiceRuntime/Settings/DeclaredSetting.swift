/// A ``Setting`` of any type.
package protocol DeclaredSetting: Sendable {
    /// The setting's key and its spelling in each source.
    var name: SettingName { get }
    /// The name of the setting's type, for the reference.
    var type: String { get }
    /// The allowed range and its unit, for the reference; may be empty.
    var allowed: String { get }
    /// Whether the value is secret. A secret is refused as a command-line option, because every user of the machine
    /// could read the command line.
    var isSecret: Bool { get }
    /// Whether a refusal quotes the text. A secret is not quoted, nor is a setting that might contain a secret by
    /// mistake.
    var isQuoted: Bool { get }
    /// Whether the command-line option may be given without a value.
    var isFlag: Bool { get }
    /// The default, or the behaviour if the setting is absent, for the reference.
    var absence: String { get }
    /// The other setting of a pair of which exactly one must be set; nil if there is none.
    var alternative: SettingName? { get }
    /// The purpose of the setting, as a clause.
    var summary: String { get }
    /// Parses the setting's text; nil means that the setting is absent.
    ///
    /// - Throws: a ``SettingRefusal`` if the text is not a valid value.
    func value(of text: String?) throws(SettingRefusal) -> any Sendable
}

/// A group of settings, declared as the properties of a struct.
package protocol SettingGroup {}

extension SettingGroup {
    /// All settings in the group, in order of declaration. They are found by reflection, so that no setting can be
    /// forgotten.
    package var declared: [any DeclaredSetting] {
        Mirror(reflecting: self).children.compactMap { $0.value as? any DeclaredSetting }
    }
}

/// The settings that specify the sources of other settings.
package struct SourceSettings: SettingGroup {
    let file = Setting(
        optional: "config.file", .path, "a JSON file with this service's settings, except this one")
    let secrets = Setting(
        optional: "secrets.directory", .path, "a folder with a file for each secret, such as `/run/secrets`")

    /// Creates the two settings.
    package init() {}
}

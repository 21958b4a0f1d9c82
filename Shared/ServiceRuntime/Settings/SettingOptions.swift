/// Settings given on the command line: `--asset-grace 10s` or `--asset-grace=10s`. A flag without a value is true.
///
/// This type replaces swift-configuration's own provider, which ignores unknown options and splits values at commas.
package struct SettingOptions: Sendable {
    /// The text of each setting that was given.
    let texts: [SettingName: String]

    /// No options.
    package static let none = SettingOptions(texts: [:])

    private init(texts: [SettingName: String]) { self.texts = texts }

    /// Parses the arguments that follow the subcommand.
    ///
    /// - Throws: a ``SettingError`` that names an option that is unknown or secret, lacks a value, or is given twice.
    package init(_ arguments: [String], of declared: [any DeclaredSetting]) throws(SettingError) {
        var texts: [SettingName: String] = [:]
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let option = String(parts[0])
            guard let setting = declared.first(where: { $0.name.option == option }) else {
                throw SettingError(
                    option, "is not an option of this service; the subcommand 'settings' lists all options")
            }
            guard !setting.isSecret else {
                throw SettingError(
                    option,
                    "is a secret, which every user of the machine could read here; put it into \(setting.name.variable), "
                        + "or into the file \(setting.name.secretFile) in \(SourceSettings().secrets.name.variable)")
            }
            let text: String
            if parts.count == 2 {
                text = String(parts[1])
            } else if let next = rest.first, !next.hasPrefix("--") {
                text = rest.removeFirst()
            } else if setting.isFlag {
                text = "true"
            } else {
                throw SettingError(option, "needs a value")
            }
            guard texts.updateValue(text, forKey: setting.name) == nil else {
                throw SettingError(option, "is given twice")
            }
        }
        self.texts = texts
    }
}

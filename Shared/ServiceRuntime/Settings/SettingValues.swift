/// The values of settings that have been read and validated.
package struct SettingValues: Sendable {
    private let values: [SettingName: any Sendable]

    init(_ values: [SettingName: any Sendable]) { self.values = values }

    /// The value of a setting, which must be one of the settings that were read. Reading any other setting is a
    /// programming error, so no undocumented setting can be used.
    package subscript<Value>(_ setting: Setting<Value>) -> Value {
        guard let value = values[setting.name], let value = value as? Value else {
            preconditionFailure("\(setting.name.key) is not among the service's settings")
        }
        return value
    }
}

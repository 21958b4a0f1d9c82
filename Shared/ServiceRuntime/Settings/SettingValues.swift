/// The values of settings that were read and validated.
package struct SettingValues: Sendable {
    private let values: [SettingName: any Sendable]

    init(_ values: [SettingName: any Sendable]) { self.values = values }

    /// Returns the value of a setting. It must be one of the settings that were read, so that no undocumented setting
    /// can be used; any other setting is a programming error.
    package subscript<Value>(_ setting: Setting<Value>) -> Value {
        guard let value = values[setting.name], let value = value as? Value else {
            preconditionFailure("\(setting.name.key) is not among the service's settings")
        }
        return value
    }
}

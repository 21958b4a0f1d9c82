/// Settings that were read and found good.
package struct SettingValues: Sendable {
    private let values: [SettingName: any Sendable]

    init(_ values: [SettingName: any Sendable]) { self.values = values }

    /// The value of a setting, which must be one of those that were read: nothing undocumented can be asked for.
    package subscript<Value>(_ setting: Setting<Value>) -> Value {
        guard let value = values[setting.name], let value = value as? Value else {
            preconditionFailure("\(setting.name.key) is not among the service's settings")
        }
        return value
    }
}

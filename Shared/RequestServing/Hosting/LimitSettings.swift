package import CloudKitModel
package import ServiceRuntime

/// The settings `limit.profile` and `limit.…` of a service. A limit that is not set has the profile's default.
package struct LimitSettings: Sendable {
    private let profile = Setting(
        "limit.profile", .choice, default: Profile.extended,
        "which requests are accepted, and the default limits: see [limits](limits.md)")
    private let limits: [(limit: Limit, setting: Setting<Int?>)]

    /// Creates the settings for the given limits.
    package init(_ limits: [Limit]) {
        self.limits = limits.map { limit in
            let setting = Setting(
                optional: SettingName(stringLiteral: "limit.\(limit.name)"), .integer(limit.range, unit: limit.unit),
                absence: Self.absence(of: limit), limit.summary)
            return (limit, setting)
        }
    }

    /// All settings.
    package var declared: [any DeclaredSetting] { [profile] + limits.map(\.setting) }

    /// Returns the limits that the settings describe.
    package func limits(_ values: SettingValues) -> Limits {
        var read = Limits(values[profile])
        for (limit, setting) in limits {
            if let value = values[setting] { read[keyPath: limit.value] = value }
        }
        return read
    }

    private static func absence(of limit: Limit) -> String {
        let (extended, compat) = (Limits(.extended)[keyPath: limit.value], Limits(.compat)[keyPath: limit.value])
        return extended == compat ? "`\(extended)`" : "`\(extended)`; `compat`: `\(compat)`"
    }
}

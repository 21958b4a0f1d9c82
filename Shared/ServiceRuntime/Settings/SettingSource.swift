internal import Configuration

/// A place where settings are looked for.
struct SettingSource: Sendable {
    /// What it has. Nothing of it is ever shown, secret or not.
    private let provider: any ConfigProvider
    /// A setting as whoever set it here spelled it.
    let spelling: @Sendable (SettingName) -> String

    /// Environment variables; an empty one counts as not set.
    init(variables: [String: String]) {
        let variables = variables.filter { !$0.value.isEmpty }
        provider = EnvironmentVariablesProvider(environmentVariables: variables, secretsSpecifier: .all)
            .prefixKeys(with: "zonda")
        spelling = { $0.variable }
    }

    /// Texts that were read before.
    init(_ texts: [SettingName: String], spelling: @escaping @Sendable (SettingName) -> String) {
        let values = texts.map { ($0.key.path, ConfigValue(.string($0.value), isSecret: true)) }
        provider = InMemoryProvider(values: Dictionary(uniqueKeysWithValues: values))
        self.spelling = spelling
    }

    /// The text of a setting.
    func text(_ name: SettingName) -> String? {
        guard let result = try? provider.value(forKey: name.path, type: .string),
            case .string(let text)? = result.value?.content
        else { return nil }
        return text
    }
}

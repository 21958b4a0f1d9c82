internal import Configuration

/// One source of settings.
struct SettingSource: Sendable {
    /// The settings of this source. All settings are marked as secret, so that they are never logged.
    private let provider: any ConfigProvider
    /// Returns the spelling of a setting in this source.
    let spelling: @Sendable (SettingName) -> String

    /// Creates a source of environment variables. An empty variable counts as absent.
    init(variables: [String: String]) {
        let variables = variables.filter { !$0.value.isEmpty }
        provider = EnvironmentVariablesProvider(environmentVariables: variables, secretsSpecifier: .all)
            .prefixKeys(with: "zonda")
        spelling = { $0.variable }
    }

    /// Creates a source from text that has already been read.
    init(_ texts: [SettingName: String], spelling: @escaping @Sendable (SettingName) -> String) {
        let values = texts.map { ($0.key.path, ConfigValue(.string($0.value), isSecret: true)) }
        provider = InMemoryProvider(values: Dictionary(uniqueKeysWithValues: values))
        self.spelling = spelling
    }

    /// Returns the text of a setting; nil if the source does not contain the setting.
    func text(_ name: SettingName) -> String? {
        guard let result = try? provider.value(forKey: name.path, type: .string),
            case .string(let text)? = result.value?.content
        else { return nil }
        return text
    }
}

internal import FoundationEssentials

/// The sources of a process's settings, in order of precedence: the command line, the environment, the secret files,
/// and the settings file.
package struct ServiceSettings: Sendable {
    private var sources: [SettingSource]
    /// The problems found in the sources themselves.
    private var problems: [String] = []

    /// Creates settings from environment variables only, for tests.
    package init(variables: [String: String]) { sources = [SettingSource(variables: variables)] }

    /// Creates settings from all sources of this process.
    ///
    /// - Parameters:
    ///   - declared: all settings of the service, including ``SourceSettings``.
    ///   - options: the settings given on the command line.
    ///   - variables: the environment variables.
    package init(
        _ declared: [any DeclaredSetting], options: SettingOptions,
        variables: [String: String] = ProcessInfo.processInfo.environment
    ) {
        sources = [SettingSource(options.texts) { $0.option }, SettingSource(variables: variables)]
        addFile(declared)
        addSecrets(declared)
    }

    /// Reads and validates settings.
    ///
    /// - Throws: a ``SettingError`` that contains every problem, in the order of `declared`.
    package func read(_ declared: [any DeclaredSetting]) throws(SettingError) -> SettingValues {
        var values: [SettingName: any Sendable] = [:]
        var problems = problems
        for setting in declared {
            if let problem = alternativeProblem(setting) { problems.append(problem) }
            do throws(SettingRefusal) {
                let text = find(setting.name)?.text
                if text?.isEmpty == true { throw SettingRefusal("must not be empty") }
                values[setting.name] = try setting.value(of: text)
            } catch {
                problems.append(problem(setting, error))
            }
        }
        guard problems.isEmpty else { throw SettingError(problems: problems) }
        return SettingValues(values)
    }

    private func find(_ name: SettingName) -> (text: String, spelling: String)? {
        for source in sources {
            if let text = source.text(name) { return (text, source.spelling(name)) }
        }
        return nil
    }

    private func alternativeProblem(_ setting: any DeclaredSetting) -> String? {
        guard let alternative = setting.alternative else { return nil }
        switch (find(setting.name), find(alternative)) {
        case (nil, nil):
            return "\(setting.name.variable): either this or \(alternative.variable) must be set [\(setting.name.key)]"
        case (let one?, let other?):
            return "\(one.spelling): must not be set together with \(other.spelling) [\(setting.name.key)]"
        default: return nil
        }
    }

    private func problem(_ setting: any DeclaredSetting, _ refusal: SettingRefusal) -> String {
        let found = find(setting.name)
        let text = found.flatMap { setting.isQuoted && !$0.text.isEmpty ? $0.text : nil }
        let quotation = text.map { "; it is '\($0)'" } ?? ""
        return "\(found?.spelling ?? setting.name.variable): \(refusal.reason)\(quotation) [\(setting.name.key)]"
    }

    /// Returns the path of a source; nil if it is absent or empty. An empty path is refused later, together with the
    /// other settings.
    private func path(_ place: Setting<String?>) -> String? {
        find(place.name).flatMap { $0.text.isEmpty ? nil : $0.text }
    }

    private mutating func addFile(_ declared: [any DeclaredSetting]) {
        let place = SourceSettings().file
        guard let path = path(place) else { return }
        do throws(SettingRefusal) {
            let texts = try SettingFile(path: path).texts
            let known = Set(declared.map(\.name)).subtracting([place.name])
            let unknown = Set(texts.keys).subtracting(known).map(\.key).sorted()
            problems += unknown.map { "\(path): \($0): is not a setting that this file may contain" }
            sources.append(SettingSource(texts) { "\(path): \($0.key)" })
        } catch {
            problems.append(problem(place, error))
        }
    }

    private mutating func addSecrets(_ declared: [any DeclaredSetting]) {
        let place = SourceSettings().secrets
        guard let path = path(place) else { return }
        do throws(SettingRefusal) {
            let texts = try SecretFolder.texts(of: declared, in: path)
            // Secrets take precedence over the settings file.
            sources.insert(SettingSource(texts) { "\(path)/\($0.secretFile)" }, at: 2)
        } catch {
            problems.append(problem(place, error))
        }
    }
}

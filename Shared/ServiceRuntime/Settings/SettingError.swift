/// Why the settings were refused: a line for each of them, which names it as the operator spelled it and says what is
/// allowed. Never a secret's value.
package struct SettingError: Error, CustomStringConvertible {
    /// The sentences for the operator.
    package let problems: [String]

    /// An error of one setting.
    package init(_ spelling: String, _ problem: String) { problems = ["\(spelling): \(problem)"] }

    /// An error of several settings, each with a sentence of its own. At least one.
    init(problems: [String]) { self.problems = problems }

    package var description: String { problems.joined(separator: "\n") }
}

/// Why a text is no value of a setting.
package struct SettingRefusal: Error {
    /// What is allowed, as in "must be a whole number from 1 to 64". It does not repeat the text, which may be secret.
    package let reason: String

    /// A refusal for that reason.
    package init(_ reason: String) { self.reason = reason }
}

/// The reason why settings were refused. The description has a line for each problem. Each line names the setting as
/// the operator spelled it, and states the rule that was violated. The description never contains the value of a
/// secret.
package struct SettingError: Error, CustomStringConvertible {
    /// The sentences for the operator, one for each problem.
    package let problems: [String]

    /// Creates an error for one setting.
    package init(_ spelling: String, _ problem: String) { problems = ["\(spelling): \(problem)"] }

    /// Creates an error from one sentence for each problem.
    init(problems: [String]) { self.problems = problems }

    package var description: String { problems.joined(separator: "\n") }
}

/// The reason why text is not a valid value of a setting.
package struct SettingRefusal: Error {
    /// The rule that the text violates, such as "must be a whole number from 1 to 64". It does not repeat the text,
    /// which might be secret.
    package let reason: String

    /// Creates a refusal.
    package init(_ reason: String) { self.reason = reason }
}

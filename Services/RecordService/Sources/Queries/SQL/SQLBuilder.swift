internal import PostgresClient

/// The parameters of a statement that is being made. Every value of a request is one of them; nothing of a request ever
/// becomes a part of the text.
struct SQLBuilder {
    /// What was bound so far.
    private(set) var parameters: [PostgresParameter] = []

    /// Binds a value.
    ///
    /// - Returns: How the text names it: `$3`.
    mutating func bind(_ parameter: PostgresParameter) -> String {
        parameters.append(parameter)
        return "$\(parameters.count)"
    }

    /// Binds a text.
    mutating func bind(_ text: String) -> String { bind(.text(text)) + "::text" }

    /// Binds texts.
    mutating func bind(_ texts: [String]) -> String { bind(.textArray(texts)) + "::text[]" }
}

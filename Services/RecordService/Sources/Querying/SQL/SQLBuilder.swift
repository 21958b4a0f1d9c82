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

    /// A longer statement is unlikely to come again, and is not worth the memory of being prepared.
    private static let maxPreparedBytes = 8 << 10

    /// The statement with what was bound. Prepared, it is at least not parsed each time.
    func call(_ sql: String) -> PostgresCall {
        PostgresCall(PostgresStatement(sql, isPrepared: sql.utf8.count <= Self.maxPreparedBytes), parameters)
    }

    /// Binds a text.
    mutating func bind(_ text: String) -> String { bind(.text(text)) + "::text" }

    /// Binds texts.
    mutating func bind(_ texts: [String]) -> String { bind(.textArray(texts)) + "::text[]" }
}

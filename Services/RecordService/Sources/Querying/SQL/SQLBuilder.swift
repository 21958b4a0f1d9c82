internal import PostgresClient

/// The parameters of a statement that is being built. Every value of a request is a parameter; nothing of a request
/// becomes part of the text.
struct SQLBuilder {
    /// The parameters so far.
    private(set) var parameters: [PostgresParameter] = []

    /// Binds a value.
    ///
    /// - Returns: the name of the parameter in the text: `$3`.
    mutating func bind(_ parameter: PostgresParameter) -> String {
        parameters.append(parameter)
        return "$\(parameters.count)"
    }

    /// The longest statement that is prepared. A longer one is unlikely to be repeated, and not worth the memory.
    private static let maxPreparedBytes = 8 << 10

    /// Returns the statement with the bound parameters. A prepared statement is at least not parsed each time.
    func call(_ sql: String) -> PostgresCall {
        PostgresCall(PostgresStatement(sql, isPrepared: sql.utf8.count <= Self.maxPreparedBytes), parameters)
    }

    /// Binds a text.
    mutating func bind(_ text: String) -> String { bind(.text(text)) + "::text" }

    /// Binds texts.
    mutating func bind(_ texts: [String]) -> String { bind(.textArray(texts)) + "::text[]" }
}

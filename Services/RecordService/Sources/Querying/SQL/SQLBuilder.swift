internal import PostgresClient

/// The parameters of a statement that is being built. Every value in a request is a parameter; no part of a request
/// becomes SQL.
struct SQLBuilder {
    /// The parameters bound so far.
    private(set) var parameters: [PostgresParameter] = []

    /// Binds a value.
    ///
    /// - Returns: the name of the parameter in the SQL, such as `$3`.
    mutating func bind(_ parameter: PostgresParameter) -> String {
        parameters.append(parameter)
        return "$\(parameters.count)"
    }

    /// The maximum size of a prepared statement, in bytes. A longer statement is unlikely to be repeated, so preparing
    /// it is not worth the memory.
    private static let maxPreparedBytes = 8 << 10

    /// Returns the statement with the bound parameters. Unless the statement is too long, it is prepared, so that it is
    /// not parsed each time.
    func call(_ sql: String) -> PostgresCall {
        PostgresCall(PostgresStatement(sql, isPrepared: sql.utf8.count <= Self.maxPreparedBytes), parameters)
    }

    mutating func bind(_ text: String) -> String { bind(.text(text)) + "::text" }

    mutating func bind(_ texts: [String]) -> String { bind(.textArray(texts)) + "::text[]" }
}

internal import PostgresClient

extension Error {
    /// The description of an unexpected error for the log. For a database error, it contains no values from rows.
    package var logDescription: String {
        (self as? PostgresError)?.logDescription ?? String(reflecting: self)
    }
}

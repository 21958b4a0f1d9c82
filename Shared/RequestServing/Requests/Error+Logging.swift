internal import PostgresClient

extension Error {
    /// As much of an unexpected error as a log may have: of the database's no values of rows.
    package var logDescription: String {
        (self as? PostgresError)?.logDescription ?? String(reflecting: self)
    }
}

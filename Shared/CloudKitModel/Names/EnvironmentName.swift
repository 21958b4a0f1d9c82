/// The two environments of a container. Saves extend the schema of the development environment; the schema of the
/// production environment changes only through deployment. The raw value is the name on the wire.
package enum EnvironmentName: String, CaseIterable, Hashable, Sendable {
    /// Saves create missing types and fields.
    case development
    /// Only deployed types and fields exist.
    case production

    /// Creates the environment from its name as stored in a table.
    ///
    /// - Parameters:
    ///   - name: the value of the column.
    ///   - column: the column as `schema.table.column`, for the error.
    /// - Throws: ``StoredValueError`` if `name` is not the name of an environment.
    package init(stored name: String, column: String) throws(StoredValueError) {
        guard let environment = Self(rawValue: name) else { throw StoredValueError(column: column, value: name) }
        self = environment
    }
}

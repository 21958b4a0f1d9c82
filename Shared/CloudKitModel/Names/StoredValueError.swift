/// The error thrown if a column contains a value that no version of its service writes.
package struct StoredValueError: Error, Hashable, CustomStringConvertible {
    /// The column as `schema.table.column`.
    package let column: String
    /// The column's value.
    package let value: String

    /// Creates the error.
    package init(column: String, value: String) { (self.column, self.value) = (column, value) }

    package var description: String { "The column \(column) has the unexpected value '\(value)'." }
}

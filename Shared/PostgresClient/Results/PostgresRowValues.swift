/// The values of a row, for use in ``PostgresRow/withValues(_:)``. The readers correspond to ``PostgresRow``'s typed
/// readers but do not copy.
package struct PostgresRowValues {
    unowned(unsafe) let handle: ResultHandle
    let index: Int32

    /// The UTF-8 bytes of a value of any text type; nil for NULL.
    package func textIfPresent(_ column: Int) -> UnsafeRawBufferPointer? {
        let type = handle.type(column: column)
        precondition(type == .text || type.isText, "column \(column) has type \(type.rawValue), not a text type")
        return handle.isNull(row: index, column: column) ? nil : handle.value(row: index, column: column)
    }

    /// The UTF-8 bytes of a value of any text type.
    package func text(_ column: Int) -> UnsafeRawBufferPointer {
        guard let text = textIfPresent(column) else { preconditionFailure("column \(column) is NULL") }
        return text
    }

    /// The JSON text of a `jsonb`, without its version byte.
    package func jsonb(_ column: Int) -> UnsafeRawBufferPointer {
        precondition(handle.type(column: column) == .jsonb, "column \(column) is not of type jsonb")
        precondition(!handle.isNull(row: index, column: column), "column \(column) is NULL")
        return UnsafeRawBufferPointer(rebasing: handle.value(row: index, column: column).dropFirst())
    }
}

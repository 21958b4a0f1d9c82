/// The result of one statement: its rows, all in memory, and the number of affected rows.
///
/// Copies and rows share libpq's result, which is freed with the last reference.
package struct PostgresResult: Sendable, RandomAccessCollection {
    private let handle: ResultHandle
    package let endIndex: Int
    package var startIndex: Int { 0 }

    init(_ handle: ResultHandle) {
        self.handle = handle
        endIndex = handle.rowCount
    }

    package subscript(position: Int) -> PostgresRow {
        precondition(position >= 0 && position < endIndex, "row index out of range")
        return PostgresRow(handle: handle, index: Int32(truncatingIfNeeded: position))
    }

    /// The number of rows inserted, updated, deleted or selected; 0 for statements that report no count. The number is
    /// parsed on each access.
    package var affectedRows: Int { handle.affectedRows }

    /// The server's command tag, such as `UPDATE 3`.
    package var commandTag: String { handle.commandTag }

    /// The names of the columns from left to right.
    package var columnNames: [String] { handle.columnNames }
}

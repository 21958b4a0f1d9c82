/// What one statement gave back: its rows, all in memory, and how many rows it touched.
///
/// It owns libpq's result; copies share it, and it is freed with the last of them, or the last row.
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

    /// Rows inserted, updated, deleted or selected; 0 for statements that count none. Costs the parsing of a number.
    package var affectedRows: Int { handle.affectedRows }

    /// The server's name for what was done, such as `UPDATE 3`.
    package var commandTag: String { handle.commandTag }

    /// The names of the columns from left to right.
    package var columnNames: [String] { handle.columnNames }
}

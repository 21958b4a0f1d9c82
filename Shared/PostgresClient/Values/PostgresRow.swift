/// One row of a result. It keeps its result alive.
///
/// Columns are numbered from 0 as the statement lists them. The typed readers stop the program when the column has
/// another type, or is NULL for one without `IfPresent`: both are mistakes in the statement's author's own text.
package struct PostgresRow: Sendable {
    let handle: ResultHandle
    let index: Int32

    package var columnCount: Int { handle.columnCount }

    package func isNull(_ column: Int) -> Bool {
        handle.isNull(row: index, column: column)
    }

    /// Lends the bytes of a value as the server sent them in its binary format, without copying; NULL has none.
    ///
    /// The buffer must not leave the closure.
    package func withBytes<R, Failure: Error>(
        _ column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> R
    ) throws(Failure) -> R {
        try withExtendedLifetime(handle) { () throws(Failure) -> R in
            try body(handle.value(row: index, column: column))
        }
    }

    /// Lends the bytes of several values of the row, without copying.
    ///
    /// Neither what is lent nor its bytes must leave the closure.
    package func withValues<R, Failure: Error>(
        _ body: (PostgresRowValues) throws(Failure) -> R
    ) throws(Failure) -> R {
        try withExtendedLifetime(handle) { () throws(Failure) -> R in
            try body(PostgresRowValues(handle: handle, index: index))
        }
    }

    /// How many bytes a value has in the server's binary format; NULL has none.
    package func byteCount(_ column: Int) -> Int { handle.value(row: index, column: column).count }

    /// Lends the bytes of a value that has the given type, or a type that reads the same; gives `nil` for NULL.
    @inline(__always)
    func read<R>(
        _ column: Int, as type: PostgresType, or isAlike: (PostgresType) -> Bool = { _ in false },
        body: (UnsafeRawBufferPointer) -> R
    ) -> R? {
        let actual = handle.type(column: column)
        precondition(
            actual == type || isAlike(actual), "column \(column) has type \(actual.rawValue), not \(type.rawValue)")
        return isNull(column) ? nil : withBytes(column, body)
    }

    /// Reads a number of a fixed width, or gives `nil` for NULL.
    @inline(__always)
    func readInteger<Wire: FixedWidthInteger>(_ column: Int, as type: PostgresType, _ wire: Wire.Type) -> Wire? {
        let actual = handle.type(column: column)
        precondition(actual == type, "column \(column) has type \(actual.rawValue), not \(type.rawValue)")
        guard !isNull(column) else { return nil }
        return withBytes(column) { bytes in
            precondition(bytes.count == MemoryLayout<Wire>.size)
            return Wire(bigEndian: bytes.loadUnaligned(as: Wire.self))
        }
    }

    @inline(__always)
    func present<Value>(_ value: Value?, _ column: Int) -> Value {
        guard let value else { preconditionFailure("column \(column) is NULL") }
        return value
    }
}

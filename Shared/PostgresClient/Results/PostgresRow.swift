/// One row of a result. It retains its result.
///
/// Columns are numbered from 0 in the order of the statement. A typed reader traps if the column has a different type,
/// or if the column is NULL and the reader's name has no `IfPresent`. Both are programming errors.
package struct PostgresRow: Sendable {
    let handle: ResultHandle
    let index: Int32

    package var columnCount: Int { handle.columnCount }

    package func isNull(_ column: Int) -> Bool {
        handle.isNull(row: index, column: column)
    }

    /// Calls the closure with the bytes of a value in the server's binary format, without copying. NULL has no bytes.
    ///
    /// The buffer must not escape the closure.
    package func withBytes<R, Failure: Error>(
        _ column: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> R
    ) throws(Failure) -> R {
        try withExtendedLifetime(handle) { () throws(Failure) -> R in
            try body(handle.value(row: index, column: column))
        }
    }

    /// Calls the closure with the bytes of several values in the row, without copying.
    ///
    /// Neither the closure's argument nor its bytes may escape the closure.
    package func withValues<R, Failure: Error>(
        _ body: (PostgresRowValues) throws(Failure) -> R
    ) throws(Failure) -> R {
        try withExtendedLifetime(handle) { () throws(Failure) -> R in
            try body(PostgresRowValues(handle: handle, index: index))
        }
    }

    /// The size of a value in the server's binary format, in bytes. NULL has no bytes.
    package func byteCount(_ column: Int) -> Int { handle.value(row: index, column: column).count }

    /// Calls the closure with the bytes of a value that has the given type or a type with the same binary form. Returns
    /// `nil` for NULL.
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

    /// Reads a number of a fixed width. Returns `nil` for NULL.
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

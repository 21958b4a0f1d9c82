import CLibPQ

/// The owner of one `PGresult`, which it frees.
///
/// `@unchecked Sendable` because libpq's manual says in "Behavior in Threaded Programs": "`PGresult` objects are
/// normally read-only after creation, and so can be passed around freely between threads." No code here modifies a
/// result, and `PQclear` runs once, when no references are left.
final class ResultHandle: @unchecked Sendable {
    private let pointer: OpaquePointer

    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
    }

    deinit {
        PQclear(pointer)
    }

    enum Kind {
        /// All rows of a statement, or the end of a statement that returns no rows.
        case complete
        /// One row of a statement in single-row mode.
        case singleRow
        /// The answer to a sync.
        case sync
        case error
        /// The statement was not run because an earlier one in the pipeline failed.
        case skipped
        /// The server requests a copy from or to the client.
        case copy
    }

    var kind: Kind {
        switch PQresultStatus(pointer) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK, PGRES_EMPTY_QUERY: .complete
        case PGRES_SINGLE_TUPLE: .singleRow
        case PGRES_PIPELINE_SYNC: .sync
        case PGRES_PIPELINE_ABORTED: .skipped
        case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: .copy
        default: .error
        }
    }

    var rowCount: Int { Int(PQntuples(pointer)) }
    var columnCount: Int { Int(PQnfields(pointer)) }
    var affectedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }
    var commandTag: String { String(cString: PQcmdStatus(pointer)) }

    var columnNames: [String] {
        (0..<PQnfields(pointer)).map { String(cString: PQfname(pointer, $0)) }
    }

    @inline(__always)
    func type(column: Int) -> PostgresType {
        // If the column does not exist, libpq returns 0 and issues a notice.
        PostgresType(rawValue: PQftype(pointer, Int32(truncatingIfNeeded: column)))
    }

    @inline(__always)
    func isNull(row: Int32, column: Int) -> Bool {
        PQgetisnull(pointer, row, Int32(truncatingIfNeeded: column)) != 0
    }

    /// The bytes of a value. Valid for the lifetime of this handle.
    @inline(__always)
    func value(row: Int32, column: Int) -> UnsafeRawBufferPointer {
        let column = Int32(truncatingIfNeeded: column)
        return UnsafeRawBufferPointer(
            start: PQgetvalue(pointer, row, column), count: Int(PQgetlength(pointer, row, column)))
    }

    /// Returns the server's report for an error result.
    ///
    /// A report without a SQLSTATE was created by libpq itself because the connection broke.
    func error() -> PostgresError {
        let state = field("C").map(SQLState.init(rawValue:))
        let message = field("M") ?? String(cString: PQresultErrorMessage(pointer)).trimmed
        let diagnostics = PostgresError.Diagnostics(
            detail: field("D"), hint: field("H"), schema: field("s"), table: field("t"), column: field("c"),
            constraint: field("n"), sourceFunction: field("R"))
        return PostgresError(
            state == nil ? .connectionLost : .server, sqlState: state, message: message, diagnostics: diagnostics)
    }

    /// Returns the report's field with the code `letter`, which is the value of the corresponding `PG_DIAG_` macro of
    /// libpq.
    private func field(_ letter: UnicodeScalar) -> String? {
        PQresultErrorField(pointer, Int32(letter.value)).map { String(cString: $0) }
    }
}

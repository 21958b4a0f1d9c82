/// An error from a statement, a connection or the pool.
///
/// `description` and `logDescription` contain no user data and may be logged anywhere. `debugDescription` contains the
/// server's own text, which might quote values.
package struct PostgresError: Error, Sendable {
    /// The kind of error. More codes might be added, so a `switch` needs a `default`.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The server refused a statement; `sqlState` contains the reason.
        package static let server = Code(rawValue: "server")
        /// No connection could be established.
        package static let connectFailed = Code(rawValue: "connectFailed")
        /// The connection broke. It is unknown whether a running statement or commit took effect.
        package static let connectionLost = Code(rawValue: "connectionLost")
        /// No connection became available within `PostgresConfiguration.leaseTimeout`.
        package static let leaseTimedOut = Code(rawValue: "leaseTimedOut")
        /// The task was cancelled. A statement that the server stopped had no effect. If the connection broke in the
        /// meantime, it is unknown whether the statement had an effect.
        package static let cancelled = Code(rawValue: "cancelled")
        /// The pool or the connection was closed by its owner.
        package static let closed = Code(rawValue: "closed")
        /// The library or the server behaved unexpectedly, or this module was used incorrectly.
        package static let unexpected = Code(rawValue: "unexpected")
    }

    /// The fields of the server's report other than the code and message, if the server sent them. They might contain
    /// user data.
    package struct Diagnostics: Hashable, Sendable {
        package var detail: String?
        package var hint: String?
        package var schema: String?
        package var table: String?
        package var column: String?
        package var constraint: String?
        /// The function in the server's source code that raised the condition. Unlike the message, it is never
        /// translated.
        package var sourceFunction: String?
    }

    package let code: Code
    /// The server's code, if the server reported an error.
    package let sqlState: SQLState?
    /// The primary message. It might quote a value from the statement.
    package let message: String
    package var diagnostics: Diagnostics?
    /// The index of the failed call in a `PostgresConnection.pipeline(_:)`.
    package var callIndex: Int?
    /// The text of the failed statement, without its parameters.
    package var statement: String?

    package init(
        _ code: Code, sqlState: SQLState? = nil, message: String, diagnostics: Diagnostics? = nil,
        callIndex: Int? = nil
    ) {
        self.code = code
        self.sqlState = sqlState
        self.message = message
        self.diagnostics = diagnostics
        self.callIndex = callIndex
    }

    /// The constraint that was violated, if the server named one.
    package var constraint: String? { diagnostics?.constraint }

    /// Whether the same transaction might succeed if it is retried from its start on the same server. This is true for
    /// serialization failures, deadlocks, and prepared statements that a schema change made stale.
    package var isRetryable: Bool {
        sqlState == .serializationFailure || sqlState == .deadlockDetected || isStaleStatement
    }

    /// Whether the server was unreachable, closed the connection, or was not accepting connections. In these cases, the
    /// same work might succeed later. After `connectionLost`, a commit may have taken effect.
    package var isConnectionFailure: Bool {
        if code == .connectFailed || code == .connectionLost { return true }
        guard let sqlState else { return false }
        return switch sqlState {
        case .adminShutdown, .crashShutdown, .cannotConnectNow, .tooManyConnections: true
        default: sqlState.conditionClass == "08"
        }
    }

    /// Whether the password, role or database is wrong, which would make another connection attempt futile.
    var isRefusal: Bool {
        guard let sqlState else { return false }
        return sqlState.conditionClass == "28" || sqlState == .invalidCatalogName
    }

    /// Whether a statement that was prepared earlier no longer exists on the server or is no longer accepted.
    var isStaleStatement: Bool {
        sqlState == .invalidStatementName
            || (sqlState == .featureNotSupported && diagnostics?.sourceFunction == "RevalidateCachedQuery")
    }
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    package var description: String {
        var text = connectionAdvice.map { "\($0) (" } ?? "PostgresError("
        text += code.rawValue
        if let sqlState { text += ", \(sqlState)" }
        if let callIndex { text += ", call \(callIndex)" }
        return text + ")"
    }

    /// The text for logs: the description, the location of the error, and the message if it cannot quote values.
    package var logDescription: String {
        let isQuotable = sqlState.map { Self.classesWithoutValues.contains($0.conditionClass) } ?? true
        return "\(description)\(isQuotable ? ": \(message)" : "")\(list(places))"
    }

    package var debugDescription: String {
        let words = [("detail", diagnostics?.detail), ("hint", diagnostics?.hint)]
        return "\(description): \(message)\(list(words + places))"
    }

    /// The SQLSTATE classes whose messages do not quote values: connections, transactions, names and privileges,
    /// resources, object states, operator intervention, system errors.
    private static let classesWithoutValues: Set<Substring> = [
        "08", "25", "28", "3D", "3F", "40", "42", "53", "54", "55", "57", "58", "XX",
    ]

    private var places: [(String, String?)] {
        [
            ("schema", diagnostics?.schema), ("table", diagnostics?.table), ("column", diagnostics?.column),
            ("constraint", diagnostics?.constraint), ("statement", statement),
        ]
    }

    private func list(_ fields: [(String, String?)]) -> String {
        fields.compactMap { name, value in value.map { "; \(name): \($0)" } }.joined()
    }
}

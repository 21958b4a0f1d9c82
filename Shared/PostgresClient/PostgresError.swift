/// What went wrong with a statement, a connection or the pool.
///
/// `description` and `logDescription` hold no user data and may be logged anywhere; `debugDescription` has the server's own
/// words, which can quote values.
package struct PostgresError: Error, Sendable {
    /// What kind of trouble it is. More codes may come; a `switch` needs a `default`.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String

        package init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The server refused a statement; `sqlState` says why.
        package static let server = Code(rawValue: "server")
        /// No connection could be made.
        package static let connectFailed = Code(rawValue: "connectFailed")
        /// The connection broke. Whether a statement or commit that was under way took effect is not known.
        package static let connectionLost = Code(rawValue: "connectionLost")
        /// All connections stayed lent for longer than `PostgresConfiguration.leaseTimeout`.
        package static let leaseTimedOut = Code(rawValue: "leaseTimedOut")
        /// The task was cancelled; a statement that ran was stopped and has had no effect.
        package static let cancelled = Code(rawValue: "cancelled")
        /// The pool or the connection was closed by its owner.
        package static let closed = Code(rawValue: "closed")
        /// The library or the server behaved as this module does not expect, or the module was used wrongly.
        package static let unexpected = Code(rawValue: "unexpected")
    }

    /// The fields of the server's report beyond code and message, as far as it sent them. They can hold user data.
    package struct Diagnostics: Hashable, Sendable {
        package var detail: String?
        package var hint: String?
        package var schema: String?
        package var table: String?
        package var column: String?
        package var constraint: String?
        /// The function of the server's source that raised the condition. Unlike the message it is never translated.
        package var sourceFunction: String?
    }

    package let code: Code
    /// The server's code, when the server reported something.
    package let sqlState: SQLState?
    /// The primary message, which can quote a value of the statement.
    package let message: String
    package var diagnostics: Diagnostics?
    /// Which call of a `PostgresConnection.pipeline(_:)` failed.
    package var callIndex: Int?
    /// The text of the statement that failed, without its parameters.
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

    /// Whether the same transaction, run again from its start on the same server, may well succeed: serialization
    /// failures, deadlocks, and prepared statements that a change of the schema made stale.
    package var isRetryable: Bool {
        sqlState == .serializationFailure || sqlState == .deadlockDetected || isStaleStatement
    }

    /// Whether the server could not be reached, went away or takes no connections, so that the same work may succeed
    /// later. After `connectionLost` a commit may have taken effect.
    package var isConnectionTrouble: Bool {
        if code == .connectFailed || code == .connectionLost { return true }
        guard let sqlState else { return false }
        return switch sqlState {
        case .adminShutdown, .crashShutdown, .cannotConnectNow, .tooManyConnections: true
        default: sqlState.conditionClass == "08"
        }
    }

    /// Whether no amount of trying again makes this connection: a wrong password, role or database.
    var isRefusal: Bool {
        guard let sqlState else { return false }
        return sqlState.conditionClass == "28" || sqlState == .invalidCatalogName
    }

    /// Whether the server no longer has, or no longer wants to run, a statement that was prepared earlier.
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

    /// For logs: where it went wrong, and the message where the server quotes only names in it.
    package var logDescription: String {
        let isQuotable = sqlState.map { Self.classesWithoutValues.contains($0.conditionClass) } ?? true
        return "\(description)\(isQuotable ? ": \(message)" : "")\(list(places))"
    }

    package var debugDescription: String {
        let words = [("detail", diagnostics?.detail), ("hint", diagnostics?.hint)]
        return "\(description): \(message)\(list(words + places))"
    }

    /// Connections, transactions, names and privileges, resources, states of objects, the operator, the system.
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

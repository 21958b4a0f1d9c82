/// The text of one SQL statement, with `$1`, `$2` … as its parameters.
///
/// A prepared statement is parsed once for each connection, in the same round trip as its first use, and is cached by
/// its text and the types of its parameters. Set `isPrepared` to false for text that is built for each request, so that
/// it does not fill the connection's cache.
package struct PostgresStatement: Sendable, Hashable, ExpressibleByStringLiteral {
    package let sql: String
    package let isPrepared: Bool

    package init(_ sql: String, isPrepared: Bool = true) {
        self.sql = sql
        self.isPrepared = isPrepared
    }

    package init(stringLiteral sql: String) {
        self.init(sql)
    }
}

/// A statement with its parameters: one element of a `PostgresConnection.pipeline(_:)`.
package struct PostgresCall: Sendable {
    package let statement: PostgresStatement
    package let parameters: [PostgresParameter]

    package init(_ statement: PostgresStatement, _ parameters: [PostgresParameter] = []) {
        self.statement = statement
        self.parameters = parameters
    }

    /// Begins a transaction at read committed, regardless of the database's or role's default. At other levels, a
    /// statement does not see rows that were committed while it waited for a lock.
    package static let begin = PostgresCall(PostgresStatement("begin \(PostgresTransactionMode.readCommitted.sql)"))
    package static let commit = PostgresCall("commit")
    /// Rolls back the transaction. Not prepared, because it must work in a failed transaction, where no statement can
    /// be prepared.
    package static let rollback = PostgresCall(PostgresStatement("rollback", isPrepared: false))

    /// Begins a transaction in the given mode.
    package static func begin(_ mode: PostgresTransactionMode) -> PostgresCall {
        mode == .readCommitted ? .begin : PostgresCall(PostgresStatement("begin \(mode.sql)"))
    }
}

/// The isolation level and access mode of a transaction.
package struct PostgresTransactionMode: Sendable, Hashable {
    let sql: String

    package static let readCommitted = PostgresTransactionMode(sql: "isolation level read committed")
    package static let repeatableRead = PostgresTransactionMode(sql: "isolation level repeatable read")
    package static let serializable = PostgresTransactionMode(sql: "isolation level serializable")

    /// The same isolation level with read-only access.
    package var readOnly: PostgresTransactionMode {
        sql.hasSuffix("read only") ? self : PostgresTransactionMode(sql: sql + " read only")
    }
}

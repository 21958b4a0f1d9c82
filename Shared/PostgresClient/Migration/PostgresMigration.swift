import Crypto

/// One numbered step of a schema's history. Once a migration has been released, its text never changes.
package struct PostgresMigration: Sendable, Hashable {
    /// The migration's position in the order. Numbers are unique and start at 1; gaps are allowed.
    package let number: Int
    /// A human-readable description, usually the name of the file.
    package let name: String
    package let sql: String
    /// A table that is created by another schema's migrations and that this migration references with a foreign key.
    package let requiredTable: String?

    package init(number: Int, name: String, sql: String, requiring requiredTable: String? = nil) {
        self.number = number
        self.name = name
        self.sql = sql
        self.requiredTable = requiredTable
    }

    /// The SHA-256 digest of the text.
    var checksum: [UInt8] { Array(SHA256.hash(data: Array(sql.utf8))) }
}

/// An error that stopped the migrations. The schema is in the state after the last successful migration.
package struct PostgresMigrationError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    package enum Reason: Sendable, Hashable {
        /// The migration's text has changed since it was applied.
        case changed
        /// An applied migration is not among the given migrations, because the given migrations are older than the
        /// database or because the migration was deleted.
        case missing
        /// The migration has not been applied, although a later one has.
        case outOfOrder
        /// Two migrations have the same number.
        case duplicate
        /// The migration's text ends its transaction, so the migration cannot be applied atomically.
        case endedTransaction
        /// The required table does not exist, or the role is not allowed to reference it.
        case tableMissing
        /// The database is not provisioned for the role: the role is not allowed to create its schema or access another
        /// schema, or a role that receives a grant does not exist. `underlying` contains the details, and `name` is the
        /// schema.
        case notProvisioned
        /// The server refused the migration; `underlying` contains the reason.
        case failed
    }

    package let reason: Reason
    /// The migration's number; 0 if the error concerns no particular migration.
    package let number: Int
    package let name: String
    package let underlying: PostgresError?

    init(_ reason: Reason, number: Int, name: String, underlying: PostgresError? = nil) {
        self.reason = reason
        self.number = number
        self.name = name
        self.underlying = underlying
    }

    package var description: String {
        let migration = "migration \(number) (\(name))"
        return switch reason {
        case .changed: "\(migration) was changed after it had been applied"
        case .missing: "\(migration) was applied to this database but is missing from this version"
        case .outOfOrder: "\(migration) has not been applied, but a later one has"
        case .duplicate: "\(migration) has the same number as another migration"
        case .endedTransaction: "\(migration) ends the transaction in which it runs"
        case .tableMissing:
            "\(migration) needs a table that another service has yet to create or to grant `references` on"
        case .notProvisioned:
            """
            the database is not prepared for the schema \(name): \(underlying?.message ?? ""); \
            has `zonda provision database` been run?
            """
        case .failed: "\(migration) failed: \(underlying.map(\.description) ?? "")"
        }
    }

    package var debugDescription: String {
        underlying.map { "\(description): \($0.debugDescription)" } ?? description
    }
}

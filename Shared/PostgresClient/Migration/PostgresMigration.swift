import Crypto

/// One numbered step of a schema's history. Once released its text is never changed.
package struct PostgresMigration: Sendable, Hashable {
    /// Its place in the order, from 1, without repeats; gaps are fine.
    package let number: Int
    /// What it does, for people; usually its file's name.
    package let name: String
    package let sql: String
    /// A table that somebody else's migrations make, and to which this one makes a foreign key.
    package let requiredTable: String?

    package init(number: Int, name: String, sql: String, requiring requiredTable: String? = nil) {
        self.number = number
        self.name = name
        self.sql = sql
        self.requiredTable = requiredTable
    }

    /// SHA-256 of the text.
    var checksum: [UInt8] { Array(SHA256.hash(data: Array(sql.utf8))) }
}

/// Why the migrations were not applied. The schema is as the last one that succeeded left it.
package struct PostgresMigrationError: Error, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    package enum Reason: Sendable, Hashable {
        /// It was applied, and its text is another one now.
        case changed
        /// It was applied, and is not among the given ones: they are older than the database, or it was deleted.
        case missing
        /// It was not applied, although a later one was.
        case outOfOrder
        /// Its number is given twice.
        case duplicate
        /// It ended its transaction itself, so that it cannot be applied as a whole or not at all.
        case endedTransaction
        /// The table that it requires is not there yet, or may not be referred to.
        case tableMissing
        /// The database is not prepared for the role: it may not make its schema or look into another's, or a role that it
        /// grants something to is not there. `underlying` says which. `name` is the schema.
        case notProvisioned
        /// The server refused it; `underlying` says why.
        case failed
    }

    package let reason: Reason
    /// 0: it is about no migration.
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
        case .missing: "\(migration) was applied to this database and is missing here"
        case .outOfOrder: "\(migration) was not applied, but a later one was"
        case .duplicate: "\(migration) has the number of another one"
        case .endedTransaction: "\(migration) ends the transaction it runs in"
        case .tableMissing:
            "\(migration) needs a table of another service, which has not made it or not granted `references` on it yet"
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

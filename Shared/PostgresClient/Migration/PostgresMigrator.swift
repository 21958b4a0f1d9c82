import Crypto
package import Logging

/// A migrator that brings a schema up to date: it applies each migration once, in order, in its own transaction, and
/// verifies that previously applied migrations have not changed.
///
/// Any number of instances can do this concurrently, because every transaction first takes the schema's advisory lock
/// and then rereads the list of applied migrations. Applied migrations are recorded in the schema's own table
/// `migration`.
///
/// While a migration is waiting for a table lock, all later statements on the table wait for the migration. Therefore,
/// if another session, such as a backup, holds the lock, the migration gives up after a short wait and is retried
/// later.
package struct PostgresMigrator: Sendable {
    /// How long a statement in a migration waits for each lock. A change to a partitioned table needs a lock on each
    /// partition.
    private static let lockTimeout = Duration.milliseconds(500)
    /// The delay between attempts to acquire a migration's locks.
    private static let backOff = BackOff(initial: .milliseconds(500), limit: .seconds(30))

    private let schema: String
    private let migrations: [PostgresMigration]
    private var grants: [String] = []

    package init(schema: String, migrations: [PostgresMigration]) {
        self.schema = schema
        self.migrations = migrations
    }

    /// Returns a migrator that also grants a privilege to another role after all migrations have been applied. The
    /// grant is repeated each time, because the role might have changed. If `role` is nil, no privilege is granted.
    ///
    /// - Parameters:
    ///   - privilege: the privilege as written in `grant`. It is inserted into the statement unchanged.
    ///   - table: the qualified name of the table. It is also inserted unchanged.
    package func granting(_ privilege: String, on table: String, to role: String?) -> PostgresMigrator {
        guard let role else { return self }
        var copy = self
        copy.grants.append("grant \(privilege) on \(table) to \(PostgresIdentifier.quote(role))")
        return copy
    }

    /// Applies the missing migrations, without a statement timeout. A migration that cannot acquire a lock within half
    /// a second is retried indefinitely.
    ///
    /// - Returns: The numbers of the migrations applied by this call, in order.
    /// - Throws: a `PostgresMigrationError`, which names the migration, or an error from the pool.
    package func apply(on pool: PostgresPool, logger: Logger) async throws -> [Int] {
        do {
            return try await applyAll(on: pool, logger: logger)
        } catch let error as PostgresError where error.isOfProvisioning {
            throw PostgresMigrationError(.notProvisioned, number: 0, name: schema, underlying: error)
        }
    }

    private func applyAll(on pool: PostgresPool, logger: Logger) async throws -> [Int] {
        let plan = try MigrationPlan(migrations)
        var (applied, failures): ([Int], Int) = ([], 0)
        while true {
            do {
                guard let migration = try await applyNext(of: plan, on: pool) else { break }
                logger.info(
                    "Applied migration",
                    metadata: ["schema": "\(schema)", "number": "\(migration.number)", "name": "\(migration.name)"])
                applied.append(migration.number)
                failures = 0
            } catch let error as PostgresMigrationError where error.isOfLocks {
                failures += 1
                let delay = Self.backOff.delay(afterFailures: failures, random: .random(in: 0..<1))
                logger.notice(
                    "a migration is waiting for the transactions that use its tables", metadata: ["reason": "\(error)"])
                try await Task.sleep(for: delay)
            }
        }
        try await grant(on: pool)
        return applied
    }

    private func applyNext(of plan: MigrationPlan, on pool: PostgresPool) async throws -> PostgresMigration? {
        try await pool.withTransaction { connection -> PostgresMigration? in
            try await lock(on: connection)
            guard let migration = try await plan.next(after: recorded(on: connection)) else { return nil }
            if let table = migration.requiredTable {
                let found = try await connection.query(
                    PostgresStatement(
                        "select coalesce(has_table_privilege(to_regclass($1), 'references'), false)",
                        isPrepared: false), [.text(table)])
                guard found.first?.bool(0) == true else {
                    throw PostgresMigrationError(.tableMissing, number: migration.number, name: migration.name)
                }
            }
            do throws(PostgresError) {
                try await connection.execute(
                    script: "set local lock_timeout = '\(Self.lockTimeout.wholeMilliseconds)ms'")
                try await connection.execute(script: migration.sql)
            } catch {
                guard error.code == .server else { throw error }
                throw PostgresMigrationError(
                    .failed, number: migration.number, name: migration.name, underlying: error)
            }
            guard await connection.isInTransaction else {
                throw PostgresMigrationError(.endedTransaction, number: migration.number, name: migration.name)
            }
            _ = try await connection.query(
                PostgresStatement(
                    "insert into \(table) (number, name, checksum) values ($1, $2, $3)", isPrepared: false),
                [.int8(Int64(migration.number)), .text(migration.name), .bytea(migration.checksum)])
            return migration
        }
    }

    /// Executes the grants. Takes the lock first, because concurrent changes to one table's privileges would conflict.
    private func grant(on pool: PostgresPool) async throws {
        guard !grants.isEmpty else { return }
        try await pool.withTransaction { connection in
            try await lock(on: connection)
            for grant in grants { try await connection.execute(script: grant) }
        }
    }

    /// Takes the schema's advisory lock. Waits for other instances without a time limit.
    private func lock(on connection: PostgresConnection) async throws {
        _ = try await connection.pipeline([
            PostgresCall(PostgresStatement("set local statement_timeout = 0", isPrepared: false)),
            PostgresCall(PostgresStatement("set local lock_timeout = 0", isPrepared: false)),
            PostgresCall(PostgresStatement("select pg_advisory_xact_lock($1)", isPrepared: false), [.int8(lockKey)]),
        ])
    }

    /// Reads the recorded migrations, after creating the schema and the table if they do not exist. If both exist and
    /// all migrations have been applied, the role needs permission only to read the table.
    private func recorded(on connection: PostgresConnection) async throws -> [MigrationPlan.Applied] {
        let existing = try await connection.query(
            PostgresStatement(
                """
                select exists (select from pg_namespace where nspname = $1),
                    exists (select from pg_tables where schemaname = $1 and tablename = 'migration')
                """, isPrepared: false), [.text(schema)])
        if !existing[0].bool(0) {
            try await connection.execute(script: "create schema \(PostgresIdentifier.quote(schema))")
        }
        if !existing[0].bool(1) {
            try await connection.execute(
                script: """
                    create table \(table) (
                        number bigint primary key,
                        name text not null,
                        checksum bytea not null,
                        applied_at timestamptz not null default now()
                    );
                    """)
        }
        let rows = try await connection.query(
            PostgresStatement("select number, name, checksum from \(table) order by number", isPrepared: false))
        return rows.map { row in
            MigrationPlan.Applied(number: Int(row.int64(0)), name: row.string(1), checksum: row.bytes(2))
        }
    }

    private var table: String { "\(PostgresIdentifier.quote(schema)).migration" }

    /// The key of the advisory lock. The whole database shares one key space, so the key is derived from the purpose
    /// and the schema's name.
    private var lockKey: Int64 {
        SHA256.hash(data: Array("zonda migrations of \(schema)".utf8)).prefix(8).reduce(0) { $0 << 8 | Int64($1) }
    }
}

extension PostgresMigrationError {
    /// Whether the migration failed to acquire its locks in time. A later attempt might succeed.
    fileprivate var isOfLocks: Bool {
        reason == .failed && [.lockNotAvailable, .deadlockDetected].contains(underlying?.sqlState)
    }
}

extension PostgresError {
    /// Whether the migration failed because a privilege, a schema or a role is missing. An administrator can add it at
    /// any time.
    fileprivate var isOfProvisioning: Bool {
        sqlState == .insufficientPrivilege || sqlState == .invalidSchemaName || sqlState == .undefinedObject
    }
}

import Foundation
import PostgresClient
import Testing

extension PostgresTests {
    struct MigratorTests {
        private let migrations = [
            PostgresMigration(
                number: 1, name: "0001_tables.sql", sql: "create table app.a (id int8); create table app.b ();"),
            PostgresMigration(number: 2, name: "0002_rows.sql", sql: "insert into app.a values (1), (2);"),
        ]

        private func apply(_ migrations: [PostgresMigration], on pool: PostgresPool) async throws -> [Int] {
            try await PostgresMigrator(schema: "app", migrations: migrations).apply(on: pool, logger: testLogger)
        }

        private func error(of migrations: [PostgresMigration], on pool: PostgresPool) async -> PostgresMigrationError? {
            await #expect(throws: PostgresMigrationError.self) { try await apply(migrations, on: pool) }
        }

        @Test func migrationsAreAppliedOnceAndLaterOnesWhenTheyCome() async throws {
            try await withDatabase { pool async throws in
                #expect(try await apply([migrations[0]], on: pool) == [1])
                #expect(try await apply(migrations, on: pool) == [2])
                #expect(try await apply(migrations, on: pool) == [])
                #expect(try await pool.query("select count(*) from app.a")[0].int64(0) == 2)
                #expect(
                    try await pool.query("select name from app.migration order by number").map { $0.string(0) }
                        == migrations.map(\.name))
            }
        }

        @Test func severalInstancesAtOnceApplyEachMigrationOnce() async throws {
            let many =
                migrations
                + (3...10).map {
                    PostgresMigration(number: $0, name: "\($0)", sql: "insert into app.a values (\($0))")
                }
            try await withDatabase { pool in
                let applied = try await withThrowingTaskGroup(of: [Int].self) { group in
                    for _ in 0..<4 { group.addTask { try await apply(many, on: pool) } }
                    return try await group.reduce([], +)
                }
                #expect(applied.sorted() == Array(1...10))
                #expect(try await pool.query("select count(*) from app.a")[0].int64(0) == 10)
            }
        }

        @Test func aChangedFileIsRefusedByNameAndNothingIsApplied() async throws {
            try await withDatabase { pool in
                _ = try await apply([migrations[0]], on: pool)
                let changed = PostgresMigration(number: 1, name: "0001_tables.sql", sql: "create table app.other ()")
                let error = await error(of: [changed, migrations[1]], on: pool)
                #expect(error?.reason == .changed)
                #expect(error?.name == "0001_tables.sql")
                #expect(try await pool.query("select count(*) from app.a")[0].int64(0) == 0)
            }
        }

        @Test func aMissingFileIsRefusedByName() async throws {
            try await withDatabase { pool in
                _ = try await apply(migrations, on: pool)
                let error = await error(of: [migrations[0]], on: pool)
                #expect(error?.reason == .missing)
                #expect(error?.number == 2)
            }
        }

        @Test func aFailingFileLeavesNothingAndThoseBeforeItStay() async throws {
            let failing = PostgresMigration(
                number: 2, name: "0002_failing.sql", sql: "create table app.c (); insert into app.a values (1 / 0);")
            try await withDatabase { pool async throws in
                let error = await error(of: [migrations[0], failing], on: pool)
                #expect(error?.reason == .failed)
                #expect(error?.name == "0002_failing.sql")
                #expect(error?.underlying?.sqlState?.rawValue == "22012")
                #expect(try await pool.query("select to_regclass('app.c') is null")[0].bool(0))
                // After the correction, the migration succeeds.
                #expect(try await apply(migrations, on: pool) == [2])
            }
        }

        @Test func aFileThatEndsItsTransactionIsRefused() async throws {
            try await withDatabase { pool in
                let committing = PostgresMigration(number: 1, name: "commits", sql: "create table app.c (); commit;")
                #expect(await error(of: [committing], on: pool)?.reason == .endedTransaction)
            }
        }

        @Test func aRoleThatMayCreateNoSchemaIsReportedAsNotProvisionedAndContinuesWhenItIs() async throws {
            try await withUnprovisionedRole { admin, pool, role async throws in
                let error = await error(of: migrations, on: pool)
                #expect(error?.reason == .notProvisioned)
                #expect(error?.description.contains("permission denied for database") == true)
                #expect(error?.description.contains("zonda provision") == true)
                try await admin.execute("create schema app authorization \(role)")
                #expect(try await apply(migrations, on: pool) == [1, 2])
            }
        }

        @Test func aTableInASchemaWithoutUsageIsReportedAsNotProvisioned() async throws {
            let referring = PostgresMigration(
                number: 1, name: "refers", sql: "create table app.a (id int8 references other.b)", requiring: "other.b")
            try await withUnprovisionedRole { admin, pool, role async throws in
                try await admin.execute("create schema app authorization \(role)")
                try await admin.execute("create schema other")
                try await admin.execute("create table other.b (id int8 primary key)")
                let error = await error(of: [referring], on: pool)
                #expect(error?.reason == .notProvisioned)
                #expect(error?.description.contains("permission denied for schema other") == true)
                try await admin.execute("grant usage on schema other to \(role)")
                #expect(await self.error(of: [referring], on: pool)?.reason == .tableMissing)
                try await admin.execute("grant references on other.b to \(role)")
                #expect(try await apply([referring], on: pool) == [1])
            }
        }

        @Test func aPrivilegeForAMissingRoleIsReportedAsNotProvisioned() async throws {
            try await withDatabase { pool async throws in
                let migrator = PostgresMigrator(schema: "app", migrations: migrations)
                    .granting("references", on: "app.a", to: "zonda_nobody")
                let error = await #expect(throws: PostgresMigrationError.self) {
                    try await migrator.apply(on: pool, logger: testLogger)
                }
                #expect(error?.reason == .notProvisioned)
                #expect(error?.description.contains("zonda_nobody") == true)
            }
        }

        @Test func whileAMigrationWaitsForALongTransactionOtherStatementsDoNot() async throws {
            let altering = PostgresMigration(number: 3, name: "alters", sql: "alter table app.a add column b int8")
            try await withDatabase { pool async throws in
                _ = try await apply(migrations, on: pool)
                try await withThrowingTaskGroup(of: [Int].self) { group in
                    try await pool.withTransaction { long in
                        _ = try await long.query("select from app.a")
                        group.addTask { try await apply(migrations + [altering], on: pool) }
                        try await pool.waitUntil(
                            "exists (select from pg_locks where relation = 'app.a'::regclass and not granted)")
                        // The migration is the first in the queue of the table's lock.
                        #expect(try await pool.query("select id from app.a").count == 2)
                    }
                    #expect(try await group.next() == [3])
                }
            }
        }

        /// Creates a database with a role that may only connect, and passes to `body` the administrator's pool, the
        /// role's pool and the role.
        private func withUnprovisionedRole(
            _ body: (PostgresPool, PostgresPool, String) async throws -> Void
        ) async throws {
            let role = "zonda_test_\(UInt64.random(in: .min ... .max))"
            try await withDatabaseURL { url in
                guard var components = URLComponents(string: url) else { throw TestServer.NotAvailable() }
                (components.user, components.password) = (role, role)
                let roleURL = try #require(components.string)
                try await withPool(PostgresConfiguration(url: url)) { admin in
                    try await admin.execute("create role \(role) login password '\(role)'")
                    try await withPool(PostgresConfiguration(url: roleURL)) { try await body(admin, $0, role) }
                    try await admin.execute("drop owned by \(role) cascade; drop role \(role)")
                }
            }
        }

        @Test func timeLimitsOfTheConfigurationDoNotApply() async throws {
            let slow = PostgresMigration(number: 1, name: "slow", sql: "select pg_sleep(0.2)")
            try await withDatabase { configuration in
                configuration.statementTimeout = .milliseconds(100)
            } _: { pool async throws in
                #expect(try await apply([slow], on: pool) == [1])
                #expect(try await pool.query("show statement_timeout")[0].string(0) == "100ms")
            }
        }
    }
}

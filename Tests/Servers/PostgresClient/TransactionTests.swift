import PostgresClient
import Testing

extension PostgresTests {
    struct TransactionTests {
        private struct Refusal: Error {}

        /// Passes to `body` a pool with one connection to a database with an empty table `t`. Each lease sees the state
        /// that the previous one left on the connection.
        private func withTable(_ body: (PostgresPool) async throws -> Void) async throws {
            try await withDatabase { configuration in
                configuration.maxConnections = 1
            } _: { pool in
                try await pool.query("create table t (id int8 primary key)")
                try await body(pool)
            }
        }

        private func count(_ pool: PostgresPool) async throws -> Int64 {
            try await pool.query("select count(*) from t")[0].int64(0)
        }

        @Test func aScopeIsCommittedWhenItReturns() async throws {
            try await withTable { pool async throws in
                let inserted = try await pool.withTransaction { connection in
                    try await connection.query("insert into t values (1), (2)").affectedRows
                }
                #expect(inserted == 2)
                #expect(try await count(pool) == 2)
            }
        }

        @Test func aScopeIsRolledBackWhenItThrows() async throws {
            try await withTable { pool async throws in
                await #expect(throws: Refusal.self) {
                    try await pool.withTransaction { connection async throws in
                        _ = try await connection.query("insert into t values (1)")
                        throw Refusal()
                    }
                }
                #expect(try await count(pool) == 0)
            }
        }

        @Test func aScopeThatHidesAFailedStatementCannotCommit() async throws {
            try await withTable { pool async throws in
                let error = await #expect(throws: PostgresError.self) {
                    try await pool.withTransaction { connection async throws in
                        _ = try await connection.query("insert into t values (1)")
                        _ = try? await connection.query("insert into t values (1)")
                    }
                }
                #expect(error?.sqlState == .inFailedTransaction)
                #expect(try await count(pool) == 0)
            }
        }

        @Test func aTransactionThatALeaseLeavesOpenIsRolledBack() async throws {
            try await withTable { pool async throws in
                try await pool.withConnection { connection in
                    _ = try await connection.pipeline([.begin, PostgresCall("insert into t values (1)")])
                }
                #expect(try await count(pool) == 0)
                #expect(try await pool.withConnection { await !$0.isInTransaction })
            }
        }

        @Test func theServerHasTheModeOfTheTransaction() async throws {
            try await withTable { pool async throws in
                let level = try await pool.withTransaction(.serializable) { connection in
                    try await connection.query("select current_setting('transaction_isolation')")[0].string(0)
                }
                #expect(level == "serializable")
                let error = await #expect(throws: PostgresError.self) {
                    try await pool.withTransaction(.repeatableRead.readOnly) { connection in
                        _ = try await connection.query("insert into t values (1)")
                    }
                }
                #expect(error?.sqlState == .readOnlyTransaction)
            }
        }

        @Test func aLostRaceIsAnErrorThatMayBeRetried() async throws {
            try await withDatabase { pool in
                try await pool.query("create table t (id int8 primary key)")
                try await pool.query("insert into t values (1)")
                let error = await #expect(throws: PostgresError.self) {
                    try await pool.withTransaction(.repeatableRead) { connection in
                        _ = try await connection.query("select * from t")
                        try await pool.query("update t set id = 2")
                        _ = try await connection.query("update t set id = 3")
                    }
                }
                #expect(error?.sqlState == .serializationFailure)
                #expect(error?.isRetryable == true)
            }
        }

        @Test func aTransactionHasItsIsolationLevelWhateverTheDefaultIs() async throws {
            try await withDatabase { configuration in
                configuration.parameters = ["default_transaction_isolation": "repeatable read"]
            } _: { pool in
                let level = try await pool.withTransaction { connection in
                    try await connection.query("select current_setting('transaction_isolation')")[0].string(0)
                }
                #expect(level == "read committed")
            }
        }

        @Test func settingsOfTheConfigurationHoldOnEveryConnection() async throws {
            try await withDatabase { configuration in
                configuration.applicationName = "settings test"
                configuration.statementTimeout = .seconds(7)
                configuration.searchPath = ["my schema", "public"]
                configuration.parameters = ["lock_timeout": "3s"]
            } _: { pool in
                let row = try await pool.query(
                    """
                    select current_setting('application_name'), current_setting('statement_timeout'),
                        current_setting('search_path'), current_setting('lock_timeout')
                    """)[0]
                #expect((0..<4).map(row.string) == ["settings test", "7s", "\"my schema\", \"public\"", "3s"])
            }
        }
    }
}

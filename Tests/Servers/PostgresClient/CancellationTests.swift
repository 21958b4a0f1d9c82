import PostgresClient
import Testing

extension PostgresTests {
    struct CancellationTests {
        private static let isSleeping: String =
            "exists (select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep' "
            + "and query like '%600%' and pid <> pg_backend_pid())"

        @Test func cancellingATaskStopsItsStatementAndLeavesTheConnectionUsable() async throws {
            try await withDatabase { pool in
                try await pool.withConnection { connection in
                    let process = await connection.serverProcess
                    let task = Task { try await connection.query("select pg_sleep(600)") }
                    try await pool.waitUntil(Self.isSleeping)
                    task.cancel()
                    let error = await #expect(throws: PostgresError.self) { try await task.value }
                    #expect(error?.code == .cancelled)
                    #expect(error?.sqlState == .queryCanceled)
                    #expect(try await connection.query("select 1")[0].int32(0) == 1)
                    #expect(await connection.serverProcess == process)
                }
            }
        }

        @Test func cancellingAtAnyMomentLeavesTheNextStatementAlone() async throws {
            try await withDatabase { configuration in
                configuration.maxConnections = 1
            } _: { pool async throws in
                for round in 0..<40 {
                    let task = Task {
                        try await pool.withTransaction { connection async throws in
                            try await connection.query(
                                "select count(*) from generate_series(1, $1)", [.int4(Int32(round) * 2000)])
                        }
                    }
                    if round.isMultiple(of: 2) { await Task.yield() }
                    task.cancel()
                    if case .failure(let error) = await task.result {
                        #expect((error as? PostgresError)?.code == .cancelled)
                    }
                    #expect(try await pool.query("select 1")[0].int32(0) == 1)
                }
                #expect(pool.statistics == PostgresPoolStatistics(open: 1, leased: 0, waiting: 0))
            }
        }

        @Test func aCancelledCallThatWaitsInLineNeverRuns() async throws {
            try await withDatabase { pool in
                try await pool.query("create table t (id int4)")
                try await pool.withConnection { connection in
                    let first = Task { try await connection.query("select pg_sleep(600)") }
                    try await pool.waitUntil(Self.isSleeping)
                    let second = Task { try await connection.query("insert into t values (1)") }
                    second.cancel()
                    let error = await #expect(throws: PostgresError.self) { try await second.value }
                    #expect(error?.code == .cancelled)
                    first.cancel()
                    await #expect(throws: PostgresError.self) { try await first.value }
                }
                #expect(try await pool.query("select count(*) from t")[0].int64(0) == 0)
            }
        }

        @Test func aCancelledTransactionIsRolledBack() async throws {
            try await withDatabase { pool in
                try await pool.query("create table t (id int4)")
                let task = Task {
                    try await pool.withTransaction { connection in
                        _ = try await connection.query("insert into t values (1)")
                        _ = try await connection.query("select pg_sleep(600)")
                    }
                }
                try await pool.waitUntil(Self.isSleeping)
                task.cancel()
                let error = await #expect(throws: PostgresError.self) { try await task.value }
                #expect(error?.code == .cancelled)
                #expect(try await pool.query("select count(*) from t")[0].int64(0) == 0)
            }
        }

        @Test func aStatementTimeoutIsTheServersErrorAndNotACancellation() async throws {
            try await withDatabase { configuration in
                configuration.statementTimeout = .milliseconds(50)
            } _: { pool in
                let error = await #expect(throws: PostgresError.self) { try await pool.query("select pg_sleep(600)") }
                #expect(error?.code == .server)
                #expect(error?.sqlState == .queryCanceled)
            }
        }

        @Test func aCancelledStreamEndsWithAnError() async throws {
            try await withDatabase { pool async throws in
                let started = Signal()
                let task = Task {
                    try await pool.withConnection { connection async throws in
                        for try await _ in connection.rows("select generate_series(1, 1000000000)") {
                            started.give()
                        }
                    }
                }
                await started.wait()
                task.cancel()
                let error = await #expect(throws: PostgresError.self) { try await task.value }
                #expect(error?.code == .cancelled)
                #expect(try await pool.query("select 1")[0].int32(0) == 1)
            }
        }
    }
}

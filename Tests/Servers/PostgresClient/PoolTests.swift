import PostgresClient
import ServiceLifecycle
import Testing

extension PostgresTests {
    struct PoolTests {
        @Test func connectionsAreMadeWhenWantedAndUsedAgain() async throws {
            try await withDatabase { pool in
                #expect(pool.statistics == PostgresPoolStatistics(open: 0, leased: 0, waiting: 0))
                let first = try await pool.withConnection { await $0.serverProcess }
                let second = try await pool.withConnection { await $0.serverProcess }
                #expect(first == second)
                #expect(pool.statistics == PostgresPoolStatistics(open: 1, leased: 0, waiting: 0))
            }
        }

        @Test func aConnectionThatHasSentALargeCallIsReplacedToFreeItsMemory() async throws {
            try await withDatabase { pool in
                func process(sending count: Int) async throws -> Int32 {
                    try await pool.withConnection { connection in
                        _ = try await connection.query(
                            "select length($1)", [.text(String(repeating: "a", count: count))])
                        return await connection.serverProcess
                    }
                }
                let first = try await process(sending: 1 << 20)
                let second = try await process(sending: 5 << 20)
                #expect(first == second)
                let third = try await process(sending: 1 << 20)
                #expect(third != second)
                #expect(pool.statistics == PostgresPoolStatistics(open: 1, leased: 0, waiting: 0))
            }
        }

        @Test func manyTasksShareFewConnections() async throws {
            try await withDatabase { configuration in
                configuration.maxConnections = 3
            } _: { pool in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<200 { group.addTask { try await pool.query("select 1") } }
                    try await group.waitForAll()
                }
                #expect(pool.statistics.open <= 3)
                #expect(pool.statistics.leased == 0)
            }
        }

        @Test func aLeaseThatTakesTooLongToGetIsAnError() async throws {
            try await withDatabase { configuration in
                configuration.maxConnections = 1
                configuration.leaseTimeout = .milliseconds(50)
            } _: { pool in
                // Establishing the first connection may take longer than this short limit.
                while (try? await pool.query("select 1")) == nil {}
                try await pool.withConnection { _ in
                    let error = await #expect(throws: PostgresError.self) { try await pool.query("select 1") }
                    #expect(error?.code == .leaseTimedOut)
                    #expect(pool.statistics == PostgresPoolStatistics(open: 1, leased: 1, waiting: 0))
                }
                #expect(try await pool.query("select 1")[0].int32(0) == 1)
            }
        }

        @Test func aCancelledWaitForALeaseEndsAtOnce() async throws {
            try await withDatabase { configuration in
                configuration.maxConnections = 1
            } _: { pool in
                try await pool.withConnection { _ in
                    let task = Task { try await pool.query("select 1") }
                    task.cancel()
                    let error = await #expect(throws: PostgresError.self) { try await task.value }
                    #expect(error?.code == .cancelled)
                    #expect(pool.statistics.waiting == 0)
                }
            }
        }

        @Test func aPoolThatIsNotRunningSaysSo() async throws {
            var configuration = PostgresConfiguration(url: try #require(TestServer.url))
            configuration.leaseTimeout = .milliseconds(20)
            let pool = PostgresPool(configuration: configuration, logger: testLogger)
            let error = await #expect(throws: PostgresError.self) { try await pool.query("select 1") }
            #expect(error?.code == .leaseTimedOut)
            #expect(error?.message == "the pool is not running")
        }

        @Test func aDatabaseThatDoesNotExistIsReportedAtOnce() async throws {
            try await withPool(PostgresConfiguration(url: TestServer.url(database: "zonda_no_such_database"))) { pool in
                let error = await #expect(throws: PostgresError.self) { try await pool.query("select 1") }
                #expect(error?.code == .connectFailed)
                #expect(error?.sqlState == .invalidCatalogName)
                #expect(error?.isConnectionFailure == true)
            }
        }

        @Test func aServerThatCannotBeReachedIsReportedWhenTheWaitIsOver() async throws {
            var configuration = PostgresConfiguration(url: "postgresql://127.0.0.1:1/none")
            configuration.leaseTimeout = .milliseconds(300)
            try await withPool(configuration) { pool in
                let error = await #expect(throws: PostgresError.self) { try await pool.query("select 1") }
                #expect(error?.code == .connectFailed)
                #expect(error?.isConnectionFailure == true)
            }
        }

        @Test func aWrongSettingIsReportedAsSuch() async throws {
            try await withDatabase { configuration in
                configuration.parameters = ["no_such_setting": "1"]
                configuration.leaseTimeout = .milliseconds(300)
            } _: { pool in
                let error = await #expect(throws: PostgresError.self) { try await pool.query("select 1") }
                #expect(error?.code == .connectFailed)
                #expect(error?.sqlState == .undefinedObject)
            }
        }

        @Test func aConnectionTheServerEndsIsReplaced() async throws {
            try await withDatabase { pool async throws in
                let error = await #expect(throws: PostgresError.self) {
                    try await pool.query("select pg_terminate_backend(pg_backend_pid())")
                }
                #expect(error?.sqlState == .adminShutdown)
                #expect(error?.isConnectionFailure == true)
                #expect(try await pool.query("select 1")[0].int32(0) == 1)
            }
        }

        @Test func anIdleConnectionTheServerEndsIsNoticed() async throws {
            try await withDatabase { pool in
                let process = try await pool.withConnection { _ in
                    // A second connection, which is idle from here on.
                    try await pool.withConnection { await $0.serverProcess }
                }
                #expect(pool.statistics.open == 2)
                try await pool.withConnection { connection in
                    // The most recently used connection is lent, which is the other one.
                    #expect(await connection.serverProcess != process)
                    _ = try await connection.query("select pg_terminate_backend($1)", [.int4(process)])
                    while pool.statistics.open > 1 { _ = try await connection.query("select pg_sleep(0.01)") }
                }
                #expect(try await pool.query("select 1")[0].int32(0) == 1)
            }
        }

        @Test func shutdownWaitsForLeasesAndAfterwardsNothingIsLeased() async throws {
            let pool = PostgresPool(
                configuration: PostgresConfiguration(url: try #require(TestServer.url)), logger: testLogger)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await pool.run() }
                try await pool.withConnection { connection in
                    group.cancelAll()
                    // Shutting down fails new callers; the lease continues.
                    var error: PostgresError?
                    while error == nil {
                        do {
                            try await pool.query("select 1")
                        } catch let failure as PostgresError {
                            error = failure
                        }
                    }
                    #expect(error?.code == .closed)
                    #expect(try await connection.query("select 1")[0].int32(0) == 1)
                }
                try await group.waitForAll()
            }
            #expect(pool.statistics == PostgresPoolStatistics(open: 0, leased: 0, waiting: 0))
        }

        @Test func aLeaseThatOutlivesTheTimeToDrainLosesItsConnection() async throws {
            var configuration = PostgresConfiguration(url: try #require(TestServer.url))
            configuration.drainTimeout = .milliseconds(20)
            let pool = PostgresPool(configuration: configuration, logger: testLogger)
            let ended = Signal()
            try await withThrowingTaskGroup(of: Void.self) { group in
                let run = Task {
                    try await pool.run()
                    ended.give()
                }
                try await pool.withConnection { connection in
                    run.cancel()
                    await ended.wait()
                    let error = await #expect(throws: PostgresError.self) { try await connection.query("select 1") }
                    #expect(error?.code == .closed)
                }
                try await run.value
            }
        }

        @Test func aServiceGroupShutsItDownGracefully() async throws {
            let pool = PostgresPool(
                configuration: PostgresConfiguration(url: try #require(TestServer.url)), logger: testLogger)
            let group = ServiceGroup(services: [pool], logger: testLogger)
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask { try await group.run() }
                #expect(try await pool.query("select 1")[0].int32(0) == 1)
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
            #expect(pool.statistics.open == 0)
        }
    }
}

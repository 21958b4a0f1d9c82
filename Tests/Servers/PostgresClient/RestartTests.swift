import PostgresClient
import Testing

extension PostgresTests {
    @Suite(.enabled(if: TestServer.isControllable))
    struct RestartTests {
        @Test func workContinuesAfterARestartAndAcknowledgedWorkIsThere() async throws {
            try await withDatabase { pool in
                try await pool.query("create table t (writer int8, number int8, primary key (writer, number))")
                let isRestarted = Flag()
                let written = try await withThrowingTaskGroup(of: Set<[Int64]>.self) { group in
                    let underWay = Signal()
                    for writer in 0..<6 as Range<Int64> {
                        group.addTask {
                            var acknowledged: Set<[Int64]> = []
                            var number: Int64 = 0
                            var remaining = 50
                            while remaining > 0 {
                                number += 1
                                if isRestarted.isRaised { remaining -= 1 }
                                do {
                                    _ = try await pool.withTransaction { connection in
                                        try await connection.query(
                                            "insert into t values ($1, $2)", [.int8(writer), .int8(number)])
                                    }
                                    acknowledged.insert([writer, number])
                                    if number == 20 { underWay.give() }
                                } catch let error as PostgresError where error.isConnectionFailure {
                                    // The row with this number may or may not exist, so the next number is tried.
                                }
                            }
                            return acknowledged
                        }
                    }
                    await underWay.wait()
                    try await TestServer.control("restart")
                    isRestarted.raise()
                    return try await group.reduce(into: Set()) { $0.formUnion($1) }
                }
                let found = Set(
                    try await pool.query("select writer, number from t").map { [$0.int64(0), $0.int64(1)] })
                #expect(written.isSubset(of: found))
                #expect(written.count >= 6 * 45)
            }
        }

        @Test func callersWaitWhileTheServerIsAway() async throws {
            try await withDatabase { pool in
                try await pool.query("select 1")
                try await TestServer.control("stop")
                let waiting = Task { try await pool.query("select 1")[0].int32(0) }
                // A caller with a shorter limit gets the reason.
                var impatient = PostgresConfiguration(url: try #require(TestServer.url))
                impatient.leaseTimeout = .milliseconds(200)
                try await withPool(impatient) { pool in
                    let error = await #expect(throws: PostgresError.self) { try await pool.query("select 1") }
                    #expect(error?.code == .connectFailed)
                }
                try await TestServer.control("start")
                do {
                    #expect(try await waiting.value == 1)
                } catch let error as PostgresError {
                    // The caller may have received the old connection before its end was noticed.
                    #expect(error.isConnectionFailure)
                }
                #expect(try await pool.query("select 1")[0].int32(0) == 1)
            }
        }
    }
}

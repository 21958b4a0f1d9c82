import Glibc
import PostgresClient
import Testing

extension PostgresTests {
    struct AdvisoryLockTests {
        private static let lock = PostgresAdvisoryLock("a test")

        private struct Failure: Error {}

        /// Returns whether another session gets the lock.
        private func isFree(_ pool: PostgresPool) async throws -> Bool {
            try await pool.withConnection { try await $0.withAdvisoryLock(Self.lock) {} } != nil
        }

        @Test func onlyOneSessionAtATimeHoldsALock() async throws {
            try await withDatabase { pool async throws in
                try await pool.withConnection { connection async throws in
                    let isFreeMeanwhile = try await connection.withAdvisoryLock(Self.lock) { () async throws -> Bool in
                        try await isFree(pool)
                    }
                    #expect(isFreeMeanwhile == false)
                }
                #expect(try await isFree(pool))
            }
        }

        @Test func anErrorReleasesTheLock() async throws {
            try await withDatabase { pool async throws in
                try await pool.withConnection { connection async throws in
                    await #expect(throws: Failure.self) {
                        try await connection.withAdvisoryLock(Self.lock) { () async throws -> Void in throw Failure() }
                    }
                    #expect(try await isFree(pool))
                }
            }
        }

        @Test func aCancelledTaskReleasesTheLock() async throws {
            try await withDatabase { pool async throws in
                try await pool.withConnection { connection async throws in
                    let isHeld = Signal()
                    let holder = Task {
                        try await connection.withAdvisoryLock(Self.lock) {
                            isHeld.give()
                            while !Task.isCancelled { await Task.yield() }
                        }
                    }
                    await isHeld.wait()
                    holder.cancel()
                    _ = await holder.result
                    #expect(try await isFree(pool))
                }
            }
        }

        @Test func aCancelledTaskEndsAlthoughItsServerNoLongerAnswers() async throws {
            try await withDatabase { pool async throws in
                try await pool.withConnection { connection async throws in
                    let session = try #require(
                        pid_t(exactly: try await connection.query("select pg_backend_pid()")[0].int32(0)))
                    let isHeld = Signal()
                    let holder = Task {
                        try await connection.withAdvisoryLock(Self.lock) {
                            isHeld.give()
                            while !Task.isCancelled { await Task.yield() }
                        }
                    }
                    await isHeld.wait()
                    try #require(kill(session, SIGSTOP) == 0)
                    defer { kill(session, SIGCONT) }
                    holder.cancel()
                    let result = await holder.result
                    #expect(throws: PostgresError.self) { try result.get() }
                }
            }
        }
    }
}

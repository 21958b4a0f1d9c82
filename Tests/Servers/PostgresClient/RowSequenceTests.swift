import PostgresClient
import Testing

extension PostgresTests {
    struct RowSequenceTests {
        @Test func allRowsComeInOrderAndTheConnectionStaysUsable() async throws {
            try await withDatabase { pool in
                try await pool.withConnection { connection in
                    for _ in 0..<2 {
                        var expected: Int32 = 0
                        for try await row in connection.rows("select i from generate_series(1, $1) i", [.int4(50_000)])
                        {
                            expected += 1
                            guard row.int32(0) == expected else { break }
                        }
                        #expect(expected == 50_000)
                    }
                    #expect(try await connection.query("select 1")[0].int32(0) == 1)
                }
            }
        }

        @Test func anEmptyResultHasNoRows() async throws {
            try await withDatabase { pool in
                try await pool.withConnection { connection in
                    for try await _ in connection.rows("select 1 where false") { Issue.record("there is no row") }
                }
            }
        }

        @Test func leavingEarlyStopsTheStatementAndFreesTheConnection() async throws {
            try await withDatabase { pool in
                try await pool.withConnection { connection in
                    let before = await connection.serverProcess
                    for try await row in connection.rows("select generate_series(1, 1000000000)")
                    where row.int32(0) == 1000 {
                        break
                    }
                    #expect(try await connection.query("select 7")[0].int32(0) == 7)
                    #expect(await connection.serverProcess == before)
                }
            }
        }

        @Test func aLeaseMayEndInTheMiddleOfAStream() async throws {
            try await withDatabase { configuration in
                configuration.maxConnections = 1
            } _: { pool in
                let iterator = try await pool.withConnection { connection async throws in
                    var iterator = connection.rows("select generate_series(1, 1000000000)").makeAsyncIterator()
                    #expect(try await iterator.next()?.int32(0) == 1)
                    return UnsafeBox(iterator)
                }
                #expect(try await pool.query("select 7")[0].int32(0) == 7)
                _ = iterator
            }
        }

        /// Keeps an iterator alive after its lease. Nothing calls it.
        private struct UnsafeBox: @unchecked Sendable {
            // Unchecked, because nothing reads the value. Only its lifetime matters.
            private let value: PostgresRowSequence.Iterator

            init(_ value: PostgresRowSequence.Iterator) { self.value = value }
        }

        @Test func anErrorDuringAStreamComesAfterTheRowsBeforeIt() async throws {
            try await withDatabase { pool in
                try await pool.withConnection { connection async throws in
                    var count = 0
                    let error = await #expect(throws: PostgresError.self) {
                        for try await _ in connection.rows("select 1 / (20000 - i) from generate_series(1, 30000) i") {
                            count += 1
                        }
                    }
                    #expect(count == 19_999)
                    #expect(error?.sqlState?.rawValue == "22012")
                    #expect(try await connection.query("select 1")[0].int32(0) == 1)
                }
            }
        }

        @Test func aCallDuringAStreamFailsInsteadOfWaitingForEver() async throws {
            try await withDatabase { pool in
                try await pool.withConnection { connection in
                    var count = 0
                    for try await _ in connection.rows("select i from generate_series(1, 10000) i") {
                        count += 1
                        guard count == 5 else { continue }
                        let error = await #expect(throws: PostgresError.self) { try await connection.query("select 1") }
                        #expect(error?.code == .unexpected)
                    }
                    #expect(count == 10_000)
                }
            }
        }
    }
}

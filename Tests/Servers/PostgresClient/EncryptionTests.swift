import PostgresClient
import Testing

extension PostgresTests {
    struct EncryptionTests {
        /// Whether the server offers TLS.
        private static func offersEncryption() async throws -> Bool {
            try await withDatabase { pool in try await pool.query("show ssl")[0].string(0) == "on" }
        }

        @Test(.enabled { try await offersEncryption() })
        func aConnectionIsEncryptedWhenTheURLAsksForItAlsoForLargeValues() async throws {
            let bytes = [UInt8](repeating: 7, count: 3 << 20)
            try await withPool(
                PostgresConfiguration(url: TestServer.url(database: "postgres", parameters: ["sslmode": "require"]))
            ) { pool in
                try await pool.withConnection { connection in
                    #expect(await connection.isEncrypted)
                    #expect(try await connection.query("select $1", [.bytea(bytes)])[0].bytes(0) == bytes)
                    let results = try await connection.pipeline(
                        (0..<2000).map { PostgresCall("select $1", [.int8($0)]) })
                    #expect(results.map { $0[0].int64(0) } == Array(0..<2000))
                    var count = 0
                    for try await _ in connection.rows("select repeat('x', 1000) from generate_series(1, 20000)") {
                        count += 1
                    }
                    #expect(count == 20_000)
                    let task = Task { try await connection.query("select pg_sleep(600)") }
                    task.cancel()
                    await #expect(throws: PostgresError.self) { try await task.value }
                    #expect(try await connection.query("select 1")[0].int32(0) == 1)
                }
            }
        }

        @Test(.enabled { try await offersEncryption() })
        func aCertificateThatCannotBeVerifiedIsRefused() async throws {
            let url = try TestServer.url(
                database: "postgres", parameters: ["sslmode": "verify-full", "sslrootcert": "/nonexistent"])
            var configuration = PostgresConfiguration(url: url)
            configuration.leaseTimeout = .milliseconds(500)
            try await withPool(configuration) { pool in
                let error = await #expect(throws: PostgresError.self) { try await pool.query("select 1") }
                #expect(error?.code == .connectFailed)
            }
        }

        @Test func aConnectionIsPlainWhenTheURLAsksForIt() async throws {
            try await withPool(
                PostgresConfiguration(url: TestServer.url(database: "postgres", parameters: ["sslmode": "disable"]))
            ) { pool async throws in
                #expect(try await pool.withConnection { await !$0.isEncrypted })
            }
        }
    }
}

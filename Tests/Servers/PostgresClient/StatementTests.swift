import PostgresClient
import Testing

extension PostgresTests {
    struct StatementTests {
        @Test func aPipelineGivesItsResultsInOrder() async throws {
            try await withDatabase { pool in
                let results = try await pool.withConnection { connection in
                    try await connection.pipeline((0..<5000).map { PostgresCall("select $1 + 1", [.int8($0)]) })
                }
                #expect(results.map { $0[0].int64(0) } == Array(1...5000))
            }
        }

        @Test func theFirstFailingCallIsNamedTheOthersHaveNoEffectAndTheConnectionStaysUsable() async throws {
            try await withDatabase { pool in
                try await pool.withConnection { connection in
                    _ = try await connection.query("create table t (id int8 primary key)")
                    let error = await #expect(throws: PostgresError.self) {
                        try await connection.pipeline(
                            [1, 2, 1, 3].map { PostgresCall("insert into t values ($1)", [.int8($0)]) })
                    }
                    #expect(error?.code == .server)
                    #expect(error?.sqlState == .uniqueViolation)
                    #expect(error?.callIndex == 2)
                    #expect(error?.constraint == "t_pkey")
                    #expect(try await connection.query("select count(*) from t")[0].int64(0) == 0)
                    #expect(try await connection.query("insert into t values ($1)", [.int8(1)]).affectedRows == 1)
                }
            }
        }

        @Test func aStatementThatCannotBeParsedFailsLikeAnyOtherAgainAndAgain() async throws {
            try await withDatabase { pool in
                try await pool.withConnection { connection async throws in
                    for _ in 0..<3 {
                        let error = await #expect(throws: PostgresError.self) {
                            try await connection.pipeline(
                                ["select 1", "select nonsense", "select 2"].map { PostgresCall($0) })
                        }
                        #expect(error?.sqlState == .undefinedColumn)
                        #expect(error?.callIndex == 1)
                    }
                    #expect(try await connection.query("select 2")[0].int32(0) == 2)
                }
            }
        }

        @Test func aWholeTransactionFitsIntoOnePipeline() async throws {
            try await withDatabase { pool in
                try await pool.query("create table t (id int8 primary key)")
                try await pool.withConnection { connection in
                    let results = try await connection.pipeline([
                        .begin(.serializable), PostgresCall("insert into t values (1), (2)"),
                        PostgresCall("select count(*) from t"), .commit,
                    ])
                    #expect(results.map(\.commandTag) == ["BEGIN", "INSERT 0 2", "SELECT 1", "COMMIT"])
                    #expect(results[1].affectedRows == 2)
                    let error = await #expect(throws: PostgresError.self) {
                        try await connection.pipeline([
                            .begin, PostgresCall("insert into t values (3)"), PostgresCall("insert into t values (1)"),
                            .commit,
                        ])
                    }
                    #expect(error?.callIndex == 2)
                    #expect(await connection.isInTransaction)
                    _ = try await connection.pipeline([.rollback])
                    #expect(await !connection.isInTransaction)
                }
                #expect(try await pool.query("select count(*) from t")[0].int64(0) == 2)
            }
        }

        @Test func aPipelineFarLargerThanAnyBufferPassesInBothDirections() async throws {
            let payload = [UInt8](repeating: 0x5A, count: 200_000)
            try await withDatabase { pool in
                let results = try await pool.withConnection { connection in
                    try await connection.pipeline((0..<200).map { _ in PostgresCall("select $1", [.bytea(payload)]) })
                }
                #expect(results.count == 200)
                #expect(results.allSatisfy { $0[0].withBytes(0) { $0.count } == payload.count })
            }
        }

        @Test func severalTasksMayUseOneConnectionAtOnce() async throws {
            try await withDatabase { pool in
                try await pool.withConnection { connection in
                    try await withThrowingTaskGroup(of: Bool.self) { group in
                        for number in 0..<100 {
                            group.addTask {
                                try await connection.query("select $1", [.int8(Int64(number))])[0].int64(0) == number
                            }
                        }
                        for try await isRight in group { #expect(isRight) }
                    }
                }
            }
        }

        @Test func theSameTextWithParametersOfOtherTypesIsPreparedOnItsOwn() async throws {
            try await withDatabase { pool in
                try await pool.withConnection { connection async throws in
                    #expect(try await connection.query("select $1", [.int4(1)])[0].int32(0) == 1)
                    #expect(try await connection.query("select $1", [.text("a")])[0].string(0) == "a")
                    #expect(try await connection.query("select $1", [.int4(2)])[0].int32(0) == 2)
                }
            }
        }

        @Test func theServerKeepsNoMorePreparedStatementsThanTheLimit() async throws {
            try await withDatabase { configuration in
                configuration.maxPreparedStatements = 8
            } _: { pool in
                try await pool.withConnection { connection in
                    for number in 0..<100 {
                        let row = try await connection.query(PostgresStatement("select \(number)"))[0]
                        #expect(row.int32(0) == number)
                    }
                    _ = try await connection.pipeline((0..<100).map { PostgresCall(PostgresStatement("select \($0)")) })
                    _ = try await connection.query(PostgresStatement("select 1", isPrepared: false))
                    let count = try await connection.query(
                        PostgresStatement("select count(*) from pg_prepared_statements", isPrepared: false))
                    #expect(count[0].int64(0) <= 8)
                }
            }
        }

        @Test func aStatementThatAChangeOfTheSchemaMadeStaleMayBeRunAgainAndThenWorks() async throws {
            try await withDatabase { pool in
                try await pool.withConnection { connection in
                    try await connection.execute(script: "create table t (a int4); insert into t values (1)")
                    #expect(try await connection.query("select * from t").count == 1)
                    try await connection.execute(script: "alter table t add b int4 default 2")
                    let error = await #expect(throws: PostgresError.self) {
                        try await connection.query("select * from t")
                    }
                    #expect(error?.isRetryable == true)
                    #expect(try await connection.query("select * from t")[0].int32(1) == 2)
                    // The same happens after an earlier user of the connection has deallocated the statement.
                    try await connection.execute(script: "deallocate all")
                    let unknown = await #expect(throws: PostgresError.self) {
                        try await connection.query("select * from t")
                    }
                    #expect(unknown?.isRetryable == true)
                    #expect(try await connection.query("select * from t").count == 1)
                }
            }
        }

        @Test func aScriptRunsWholeOrNotAtAllAndStatementsWorkAfterIt() async throws {
            try await withDatabase { pool in
                try await pool.withConnection { connection in
                    try await connection.execute(script: "create table t (a int4); insert into t values (1), (2);")
                    #expect(try await connection.query("select count(*) from t")[0].int64(0) == 2)
                    let error = await #expect(throws: PostgresError.self) {
                        try await connection.execute(script: "insert into t values (3); select 1 / 0;")
                    }
                    #expect(error?.sqlState?.rawValue == "22012")
                    #expect(try await connection.query("select count(*) from t")[0].int64(0) == 2)
                }
            }
        }

        @Test func copyingToTheClientIsRefusedAndCostsOnlyTheConnection() async throws {
            try await withDatabase { pool async throws in
                let error = await #expect(throws: PostgresError.self) {
                    try await pool.withConnection { try await $0.execute(script: "copy (select 1) to stdout") }
                }
                #expect(error?.code == .unexpected)
                #expect(try await pool.query("select 1")[0].int32(0) == 1)
            }
        }
    }
}

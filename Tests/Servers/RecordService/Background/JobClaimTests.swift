import PostgresClient
import Testing

@testable import RecordService
@testable import RecordStorage

/// How background jobs are claimed and postponed.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct JobClaimTests {
    /// Inserts a job of a zone that does not exist.
    private static func insert(_ kind: JobTable.Kind, _ database: RecordDatabase) async throws {
        try await database.query(
            """
            insert into record.job (kind, arguments)
            values ($1, jsonb_build_object('environment', 1, 'zone', 1))
            """, [.text(kind.rawValue)])
    }

    /// The time in minutes after which the job is due.
    private static func delay(_ database: RecordDatabase) async throws -> Int64 {
        let rows = try await database.query(
            "select round(extract(epoch from due_at - now()) / 60)::int8 from record.job")
        return try #require(rows.first).int64(0)
    }

    @Test func aJobThatEndsTheProcessIsHiddenForLongerEachTime() async throws {
        try await RecordDatabase.with { database in
            let jobs = JobTable(pool: database.pool)
            try await Self.insert(.shareMove, database)
            var delays: [Int64] = []
            for _ in 0..<8 {
                // The process ends after the claim.
                _ = try #require(try await jobs.claim([.shareMove]))
                delays.append(try await Self.delay(database))
                #expect(try await jobs.claim([.shareMove]) == nil)
                try await database.query("update record.job set due_at = now()")
            }
            #expect(delays == [1, 2, 4, 8, 16, 32, 60, 60])
            // A piece that succeeds ends this.
            let job = try #require(try await jobs.claim([.shareMove]))
            _ = try await database.pool.withConnection { try await $0.pipeline([JobTable.endPiece(job)]) }
            _ = try #require(try await jobs.claim([.shareMove]))
            #expect(try await Self.delay(database) == 1)
        }
    }

    @Test func aJobThatFailsIsDueLaterEachTime() async throws {
        try await RecordDatabase.with { database in
            let jobs = JobTable(pool: database.pool)
            try await Self.insert(.cascade, database)
            var seconds: [Int64] = []
            for _ in 0..<12 {
                let job = try #require(try await jobs.claim([.cascade]))
                try await jobs.putOff(job, "it failed")
                let rows = try await database.query(
                    "select round(extract(epoch from due_at - now()))::int8 from record.job")
                seconds.append(try #require(rows.first).int64(0))
                try await database.query("update record.job set due_at = now()")
            }
            #expect(seconds == [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600, 3600])
        }
    }

    @Test func aJobOfIndexesIsNotHiddenForLonger() async throws {
        try await RecordDatabase.with { database in
            try await Self.insert(.indexBuild, database)
            for _ in 0..<3 {
                let job = try await database.pool.withConnection { try await JobTable.claim([.indexBuild], on: $0) }
                _ = try #require(job)
                #expect(try await Self.delay(database) == 1)
                try await database.query("update record.job set due_at = now()")
            }
        }
    }

    @Test func unfinishedJobsAreCounted() async throws {
        try await RecordDatabase.with { database in
            let jobs = JobTable(pool: database.pool)
            #expect(try await jobs.stock() == [:])
            for kind in [JobTable.Kind.shareMove, .shareMove, .cascade] { try await Self.insert(kind, database) }
            try await database.query(
                "update record.job set created_at = now() - interval '1 hour' where kind = 'cascade'")
            let stock = try await jobs.stock()
            #expect(stock.mapValues(\.count) == [.shareMove: 2, .cascade: 1])
            #expect(stock[.cascade]?.age ?? 0 >= 3600 && stock[.shareMove]?.age ?? 3600 < 3600)
        }
    }
}

import CloudKitModel
import CloudKitWire
import PostgresClient
import Testing

@testable import RecordService
@testable import RecordStorage

/// What a service of a release without sharing can do while services are replaced one by one.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct EarlierReleaseTests {
    /// The settings of a connection of an earlier release.
    private static let earlier = "set local zonda.sharing = ''"

    @Test func itWritesInNoSharedZone() async throws {
        try await RecordDatabase.with { database in
            let (shared, other) = (try await database.zone("Shared"), try await database.zone("Other"))
            try await database.save(
                shared, database.operation("create", "Root"), database.share("create", "S", of: "Root"))
            let write = { (zone: ZoneEntry) in
                try await database.pool.withTransaction { connection in
                    try await connection.execute(script: Self.earlier)
                    _ = try await connection.pipeline([ZoneTable.advance([(zone.row, 100)])])
                }
            }
            let error = await #expect(throws: PostgresError.self) { try await write(shared) }
            #expect(error?.sqlState == .checkViolation)
            try await write(other)
            try await database.save(shared, database.operation("create", "Child"))
        }
    }

    @Test func environmentsAndSchemasOfItHaveTheTypeOfShares() async throws {
        try await RecordDatabase.with { database in
            let container = try await database.query("select id from record.container")[0].int32(0)
            try await database.query("delete from record.environment where name = 'production'")
            try await database.query(
                "insert into record.environment (container, name) values ($1, 'production')", [.int4(container)])
            try await database.query("update record.record_type set dropped_at = now()")
            try await database.query("update record.field set dropped_at = now()")
            let fields = try await database.query(
                """
                select f.name from record.environment e join record.record_type t on t.environment = e.id
                join record.field f on f.record_type = t.id
                where e.name = 'production' and t.name = 'cloudkit.share' and t.dropped_at is null
                    and f.dropped_at is null order by 1
                """)
            #expect(
                fields.map { $0.string(0) } == ["cloudkit.thumbnailImageData", "cloudkit.title", "cloudkit.type"])
        }
    }
}

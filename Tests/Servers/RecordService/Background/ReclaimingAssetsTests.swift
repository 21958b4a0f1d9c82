import CloudKitModel
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Deleted zones and containers release their blobs.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct ReclaimingAssetsTests {
    private static func reclaim(_ database: RecordDatabase) async throws -> Int {
        let reclaimer = Reclaimer(
            pool: database.pool, retention: .seconds(0), logger: RecordDatabase.logger)
        var pieces = 0
        while try await reclaimer.runOnce() { pieces += 1 }
        let jobs = try await database.query("select kind, last_error from record.job")
        #expect(jobs.map { $0.stringIfPresent(1) } == [])
        return pieces
    }

    @Test func theUsesOfADeletedZoneGoInPieces() async throws {
        try await RecordDatabase.with { database in
            let (zone, other) = (try await database.zone(), try await database.zone("Other"))
            let photo = try await database.upload(1)
            for name in ["a", "b", "c"] {
                let photos = JSONValue.array(Array(repeating: photo.value, count: 1000))
                try await database.write(database.request(zone, database.operation("create", name, ["photos": photos])))
            }
            try await database.write(database.request(other, database.operation("create", "z", ["photo": photo.value])))
            _ = try await database.ask(
                .zonesModify, ["operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]]]]])
            let pieces = try await Self.reclaim(database)
            #expect(pieces == 3, "and one for the row of the zone")
            let uses = try await database.uses()
            #expect(uses == ["z.photo[0]=\(photo.blob)"])
        }
    }

    @Test func theTablesOfADeletedContainerGoWithTheirForeignKeys() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            let photo = try await database.upload(1)
            try await database.write(database.request(zone, database.operation("create", "a", ["photo": photo.value])))
            let answer = try await database.ask(
                .containersDelete, ["container": .string(RecordDatabase.container)])
            #expect(answer["deleted"] == true)
            _ = try await Self.reclaim(database)
            let tables = try await database.query(
                """
                select c.relname::text from pg_class c where c.relnamespace = 'record'::regnamespace
                    and c.relname ~ '^(record|asset_use)_[0-9]+$'
                """)
            #expect(tables.isEmpty)
            let keys = try await database.query(
                "select conname::text from pg_constraint where confrelid = 'asset.blob'::regclass")
            #expect(keys.map { $0.string(0) } == ["asset_use_blob_fkey"])
            let deleted = try await database.superuser.withConnection {
                try await $0.query("delete from asset.blob where id = $1", [.int8(photo.blob)])
            }
            #expect(deleted.affectedRows == 1)
        }
    }
}

import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// The migration of a store of the release before sharing, while services of that release write to it.
///
/// The number of records is small by default; `ZONDA_TEST_MIGRATION_RECORDS` changes it.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct SharingMigrationTests {
    private static let records =
        ProcessInfo.processInfo.environment["ZONDA_TEST_MIGRATION_RECORDS"].flatMap { Int($0) } ?? 10_000

    @Test func noTableIsRewrittenAndNoSaveWaitsForAnIndex() async throws {
        try await RecordDatabase.with { database in
            let store = try await EarlierStore(in: database, records: Self.records)
            let files = try await store.files()
            let writer = EarlierWriter(to: store, zone: 2)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { await writer.run() }
                for migration in EarlierStore.laterMigrations {
                    try await Self.apply(migration, to: store)
                    try await store.save("after-\(migration.number)", inZone: 1)
                }
                try await Self.buildIndexes(of: store)
                writer.end()
                try await group.waitForAll()
            }
            #expect(writer.failures == [])
            #expect(writer.saved > 0)
            let later = try await store.files()
            for (name, file) in files { #expect(later[name] == file, "\(name) was rewritten or dropped") }
            try await Self.expectUsable(store, saved: writer.saved)
        }
    }

    /// Applies a migration while a transaction reads all tables, as a backup does. The migration cannot get its locks
    /// until the transaction ends, but saves can.
    private static func apply(_ migration: PostgresMigration, to store: EarlierStore) async throws {
        let database = store.database
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await database.superuser.withTransaction { connection in
                for table in ["environment", "zone", "record", "change", "field", "record_type"] {
                    _ = try await connection.query(PostgresStatement("select from record.\(table) limit 1"))
                }
                group.addTask { try await store.migrate(to: migration) }
                try await database.wait(
                    for: """
                        select from record.migration where number = $1
                        union all select from pg_stat_activity where wait_event_type = 'Lock' and usename = current_user
                        """, [.int8(Int64(migration.number))])
                try await store.save("during-\(migration.number)", inZone: 1)
            }
            try await group.waitForAll()
        }
    }

    /// Builds the indexes while a transaction that has written to the table is open. The builds wait for it; saves of
    /// both releases do not.
    private static func buildIndexes(of store: EarlierStore) async throws {
        let database = store.database
        try await database.query("update record.job set due_at = now()")
        let zone = try await database.zone("New")
        let table = zone.database.environment.recordTable
        try await withThrowingTaskGroup(of: Void.self) { group in
            try await database.superuser.withTransaction { connection in
                _ = try await connection.query(
                    PostgresStatement("update \(table) set size = size where name = 'r-777'", isPrepared: false))
                group.addTask { try await database.buildIndexes() }
                try await database.wait(
                    for: """
                        select from pg_stat_activity
                        where wait_event_type = 'Lock' and usename = current_user and query like '%index concurrently%'
                        """)
                try await store.save("during-build", inZone: 1)
                try await database.save(zone, database.operation("create", "a", ["n": 1]))
            }
            try await group.waitForAll()
        }
        let built = try await database.query(
            """
            select from pg_index i join pg_inherits h on h.inhrelid = i.indexrelid
            where h.inhparent = 'record.record_shared'::regclass and i.indisvalid
            """)
        #expect(built.count == 2)
        #expect(try await database.query("select from record.job where kind = 'sharing.index'").isEmpty)
    }

    /// Expects that the records of the earlier release can be read, changed and shared.
    private static func expectUsable(_ store: EarlierStore, saved: Int) async throws {
        let database = store.database
        let zone = try await database.zone("Old-2")
        #expect(try await database.record("r-2", in: zone)["fields"]?["n"]?["value"] == 5)
        #expect(try await database.record("meanwhile-\(saved)", in: zone)["fields"]?["n"]?["value"] == 1)
        let count = try await database.query(
            PostgresStatement(
                "select count(*), max(change_seq) from \(zone.database.environment.recordTable) where zone = $1"),
            [.int8(zone.row.rawValue)])
        #expect(count[0].int64(0) == Int64(store.records / 10 + saved))
        #expect(count[0].int64(1) == count[0].int64(0), "each change has its own number")

        let reader = SharedReader(database, "b")
        try await database.save(
            zone, database.share("create", "S", of: "Root", participants: [RecordDatabase.participant(reader.user)]))
        try await reader.accept("S", in: zone)
        #expect(try await database.members(of: zone)["S"]?.count == 501)
        let found = try await reader.ask(
            .changesZone,
            ["zones": [["zoneID": SharedReader.zoneID("Old-2"), "resultsLimit": 1000]]])
        #expect(found["zones"]?[0]?["records"]?.array?.count == 501, "\(found)")
        let lookup: JSONValue = [
            "zoneID": SharedReader.zoneID("Old-2"),
            "records": [["recordName": "r-500"], ["recordName": "r-501"]],
        ]
        let looked = try await reader.ask(.recordsLookup, lookup)["records"]
        #expect(looked?[0]?["fields"]?["n"]?["value"] == 5)
        #expect(looked?[1]?["ckErrorCode"] == 11)
        try await database.save(zone, database.operation("forceUpdate", "r-3", ["n": 6], parent: "Root"))
        await #expect(throws: PostgresError.self) { try await store.save("refused", inZone: 2) }
    }
}

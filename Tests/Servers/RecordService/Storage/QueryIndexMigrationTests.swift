import CloudKitModel
import CloudKitSchema
import PostgresClient
import Testing

@testable import RecordService
@testable import RecordStorage

/// The effect of migration 6 on a database that has been in use.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct QueryIndexMigrationTests {
    @Test func indexesThatAreThereAreMadeAnewAndThoseThatWaitedComeToBe() async throws {
        try await RecordDatabase.with { database in
            try await database.superuser.withConnection {
                try await $0.execute(script: "drop schema record cascade")
            }
            let earlier = PostgresMigrator(schema: "record", migrations: Array(RecordMigrations.all.prefix(5)))
            _ = try await earlier.apply(on: database.pool, logger: RecordDatabase.logger)
            try await database.pool.withConnection {
                try await $0.execute(script: Self.inUse)
            }
            let applied = try await RecordMigrations.migrator.apply(
                on: database.pool, logger: RecordDatabase.logger)
            #expect(applied == RecordMigrations.all.dropFirst(5).map(\.number))
            try await database.query("update record.field_index set due_at = now() where method = 'words'")
            try await database.query("update record.job set due_at = now()")
            try await database.buildIndexes()
            let rows = try await database.query(
                "select record_type || ' ' || field || ' ' || method || ' ' || state || ' ' || kinds from record.field_index order by 1"
            ).map { $0.string(0) }
            #expect(
                rows
                    == [
                        "1 ___allTokens words ready 4", "1 places elements ready 1", "1 place place ready 3",
                        "1 tags elements ready 1", "1 title ordered ready 3", "1 title substring ready 4",
                    ].sorted())
            let built = try await database.query(
                "select indexname::text from pg_indexes where tablename = 'record_1' and indexname ~ '_index_'")
            #expect(built.count == 6)
            // The index of shared records, for which writers do not wait.
            let shared = try await database.query(
                """
                select i.indisvalid from pg_index i join pg_inherits h on h.inhrelid = i.indexrelid
                where h.inhparent = 'record.record_shared'::regclass and i.indisvalid
                """)
            #expect(shared.count == 2)
            #expect(try await database.query("select from record.job where kind = 'sharing.index'").count == 0)
            #expect(!built.contains { $0.string(0) == "record_1_index_1" })
            let record = try await database.query("select tokens from record.record_1")
            #expect(record.first?.textArray(0).sorted() == ["some", "tag", "text"])
            #expect(try await database.query("select from record.environment where schema_version = 2").count == 1)
        }
    }

    /// A deployed type with a record and with the indexes of release 5, either built or waiting for a later release.
    private static let inUse = """
        insert into record.container (name) values ('c');
        insert into record.environment (container, name) values (1, 'production'), (1, 'development');
        create table record.record_1 (like record.record including all, check (environment = 1));
        alter table record.record attach partition record.record_1 for values in (1);
        create table record.record_2 (like record.record including all, check (environment = 2));
        alter table record.record attach partition record.record_2 for values in (2);
        insert into record.database (environment, scope, owner) values (1, 1, '_public');
        insert into record.zone (database, name, change_seq) values (1, '_defaultZone', 1);
        insert into record.record_type (environment, name) values (1, 'Note');
        insert into record.field (record_type, name, type, indexes)
        values (1, 'title', 1, 7), (1, 'tags', 17, 5), (1, 'place', 8, 3), (1, 'places', 24, 1);
        insert into record.field_index (environment, record_type, field, type, method, kinds, state, due_at) values
            (1, 1, 'title', 1, 'value', 3, 'ready', now()), (1, 1, 'title', 1, 'words', 4, 'waiting', 'infinity'),
            (1, 1, 'tags', 17, 'elements', 1, 'ready', now()), (1, 1, 'tags', 17, 'words', 4, 'waiting', 'infinity'),
            (1, 1, 'place', 8, 'place', 3, 'waiting', 'infinity'), (1, 1, 'places', 24, 'place', 1, 'waiting', 'infinity');
        create index record_1_index_1 on record.record_1 (zone);
        create index record_1_index_3 on record.record_1 (zone);
        insert into record.record_1 (environment, zone, name, record_type, change_seq, change_tag, fields, created_at,
            created_by, created_device, modified_at, modified_by, modified_device)
        values (1, 1, 'a', 1, 1, 't', '{"title": "Some text", "tags": ["tag"]}', now(), '_u', '2', now(), '_u', '2');
        """
}

import CloudKitModel
import CloudKitWire
import PostgresClient
import TestGenerators
import Testing

@testable import RecordService
@testable import RecordStorage

/// The words by which records are found. They are stored with each save, and added to records that were saved before.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct RecordWordsTests {
    @Test func whatIsSavedHasItsWordsAsSoonAsAnIndexIsWanted() async throws {
        try await RecordDatabase.with { database in
            let (one, other) = (RecordClient(database: database), RecordClient(database: database).onAnotherInstance)
            _ = try await one.modify("create", "Note", "a", ["title": "Alpha", "n": 1])
            _ = try await other.modify("create", "Note", "b", ["title": "Beta"])
            #expect(try await one.words("a") == nil)
            let before = try await one.schema().version
            try await one.demandWords()
            #expect(try await one.schema().version == before + 1)
            // Both instances have cached a schema without the index.
            _ = try await one.modify("update", "Note", "a", ["tags": ["one two", "alpha"]])
            _ = try await other.modify("create", "Note", "c", ["title": "Gamma, gamma"])
            _ = try await other.modify("create", "Draft", "d", ["title": "Delta"])
            #expect(try await one.words("a") == ["alpha", "one", "two"])
            #expect(try await one.words("b") == nil)
            #expect(try await one.words("c") == ["gamma"])
            #expect(try await one.words("d") == nil)
            _ = try await one.modify("update", "Note", "c", ["title": nil])
            #expect(try await one.words("c") == [])
            _ = try await one.modify("delete", "Note", "a")
            #expect(try await one.words("a") == nil)
        }
    }

    @Test func recordsThatWereThereAreFilledInWithoutBeingChanged() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify("create", "Note", "a", ["title": "number", "secret": 1])
            _ = try await client.modify("create", "Draft", "d", ["title": "other"])
            let environment = try await client.environmentRow()
            // More records than one batch, in separate zones. Every third has no value, and one is large.
            try await database.query(
                PostgresStatement(
                    """
                    insert into record.zone (database, name, change_seq)
                    select database, 'z' || i, 300 from record.zone, generate_series(1, 4) as i
                    where id = (select zone from \(environment.recordTable) where name = 'a')
                    """))
            try await database.query(
                PostgresStatement(
                    """
                    insert into \(environment.recordTable) (environment, zone, name, record_type, change_seq, change_tag,
                        fields, size, created_at, created_by, created_device, modified_at, modified_by, modified_device)
                    select r.environment, z.id, 'n' || i, r.record_type, i, 't', case i % 3
                            when 0 then '{}' else jsonb_build_object('title', 'number N' || i) end,
                        case i when 5 then 9 << 20 else 100 end, r.created_at, r.created_by, '2', r.modified_at,
                        r.modified_by, '2'
                    from \(environment.recordTable) r, record.zone z, generate_series(1, 300) as i
                    where r.name = 'a' and z.name like 'z%'
                    """))
            let state: PostgresStatement = """
                select string_agg(zone || name || change_seq || coalesce(fields::text, '') || modified_at, ' '
                    order by zone, name) || (select sum(change_seq) from record.zone) from record.record
                """
            let before = try await database.query(state)[0].string(0)
            try await client.demandWords()
            try await database.buildIndexes()
            #expect(try await client.indexStates() == ["___allTokens words": "ready"])
            #expect(try await database.query(state)[0].string(0) == before)
            let counts = try await database.query(
                PostgresStatement(
                    """
                    select count(*) filter (where tokens @> array['number', name] and cardinality(tokens) = 2),
                        count(*) filter (where tokens = '{}'), count(*) filter (where tokens is null)
                    from \(environment.recordTable) where name like 'n%'
                    """))
            #expect(counts[0].int64(0) == 800)
            #expect(counts[0].int64(1) == 400)
            #expect(counts[0].int64(2) == 0)
            #expect(try await client.words("a") == ["number"])
            #expect(try await client.words("d") == nil)
        }
    }

    @Test func aRecordThatIsSavedWhileTheOthersAreFilledInKeepsItsNewWords() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify("create", "Note", "a", ["title": "old"])
            _ = try await client.modify("create", "Note", "b", ["title": "untouched"])
            let environment = try await client.environmentRow()
            try await client.demandWords()
            try await withThrowingTaskGroup(of: Void.self) { group in
                try await database.superuser.withTransaction { connection in
                    _ = try await connection.query("select from record.zone for update")
                    group.addTask { try await database.buildIndexes() }
                    // The old state has been read.
                    try await database.wait(for: RecordDatabase.waiting)
                    _ = try await connection.query(
                        PostgresStatement(
                            """
                            update \(environment.recordTable)
                            set change_seq = 100, fields = '{"title": "new"}', tokens = '{new}' where name = 'a'
                            """))
                }
                try await group.waitForAll()
            }
            #expect(try await client.words("a") == ["new"])
            #expect(try await client.words("b") == ["untouched"])
            #expect(try await client.indexStates() == ["___allTokens words": "ready"])
        }
    }

    @Test func fillingInContinuesWhereItWasInterrupted() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify("create", "Note", "a", ["title": "x"])
            _ = try await client.modify("create", "Note", "b", ["title": "y"])
            try await client.demandWords()
            let environment = try await client.environmentRow()
            try await database.query(
                PostgresStatement(
                    """
                    update record.field_index set state = 'building', filled_name = 'a',
                        filled_zone = (select zone from \(environment.recordTable) where name = 'a')
                    """))
            try await database.buildIndexes()
            #expect(try await client.words("a") == nil)
            #expect(try await client.words("b") == ["y"])
            #expect(try await client.indexStates() == ["___allTokens words": "ready"])
        }
    }

    @Test func addedFieldsCountFromThenOnOnEveryInstance() async throws {
        try await RecordDatabase.with { database in
            let (one, other) = (RecordClient(database: database), RecordClient(database: database).onAnotherInstance)
            _ = try await one.modify("create", "Note", "a", ["title": "x"])
            try await one.demandWords()
            try await database.buildIndexes()
            _ = try await other.modify("update", "Note", "a", ["title": "y"])
            _ = try await one.modify("update", "Note", "a", ["more": "new"])
            #expect(try await one.words("a") == ["new", "y"])
            // This instance does not know the field yet, and finds it in the record.
            _ = try await other.modify("update", "Note", "a", ["title": "z"])
            #expect(try await one.words("a") == ["new", "z"])
            #expect(try await one.indexStates() == ["___allTokens words": "ready"])
        }
    }

    @Test func otherSearchedFieldsMakeAllWordsAnew() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            func define(_ fields: String) async throws {
                try await client.importSchema(
                    """
                    DEFINE SCHEMA
                    RECORD TYPE Note (
                        title STRING SEARCHABLE, \(fields), GRANT WRITE, CREATE, READ TO "_icloud"
                    );
                    """)
            }
            try await define("text STRING SEARCHABLE, n INT64")
            _ = try await client.modify("create", "Note", "a", ["title": "x", "text": "y"])
            _ = try await client.modify("create", "Note", "b", ["text": "z"])
            try await client.demandWords()
            try await database.buildIndexes()
            #expect(try await client.words("a") == ["x", "y"])
            try await define("text STRING, n INT64")
            #expect(try await client.indexStates() == ["___allTokens words": "waiting"])
            try await database.buildIndexes()
            #expect(try await client.indexStates() == ["___allTokens words": "ready"])
            #expect(try await client.words("a") == ["x"])
            #expect(try await client.words("b") == [])
            // A change that does not affect the index.
            try await define("text STRING, n INT64 QUERYABLE")
            #expect(try await client.indexStates() == ["___allTokens words": "ready"])
            // The field is hidden, and a save brings it back with its value.
            try await define("n INT64")
            _ = try await client.modify("create", "Note", "c", ["text": "w"])
            #expect(try await client.indexStates() == ["___allTokens words": "waiting"])
            try await database.buildIndexes()
            #expect(try await client.words("a") == ["x", "y"])
            #expect(try await client.words("b") == ["z"])
            #expect(try await client.words("c") == ["w"])
        }
    }

    @Test func wordsThatAreTooLongForAnIndexAreCut() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify("create", "Note", "a", ["title": "x"])
            try await client.demandWords()
            try await database.buildIndexes()
            // The text consists of random letters, so that it cannot be compressed.
            var generator = SeededGenerator(seed: 1)
            let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
            let word = String((0..<9000).map { _ in letters[Int.random(in: 0..<36, using: &generator)] })
            let saved = try await client.modify("create", "Note", "b", ["title": .string(word)])
            #expect(saved.value("title") == .string(word))
            let words = try #require(try await client.words("b"))
            #expect(words == [String(word.prefix(255))])
        }
    }
}

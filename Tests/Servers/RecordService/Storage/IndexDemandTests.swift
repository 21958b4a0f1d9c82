import CloudKitModel
import CloudKitSchema
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// In development, an index is built when a query needs it, and is dropped with its field or type.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct IndexDemandTests {
    private static func indexes(_ client: RecordClient, type name: String = "Note") async throws -> [FieldIndex] {
        let type = try #require(try await client.schema().type(name))
        return type.fields.flatMap {
            FieldIndex.wanted($0.key, $0.value, type.indexes[$0.key] ?? [], of: type.id)
        } + FieldIndex.wanted("___createTime", .timestamp, .sortable, of: type.id)
    }

    private static func demand(_ indexes: [FieldIndex], _ client: RecordClient) async throws {
        try await IndexTable(client.environmentRow()).demand(indexes, on: client.database.pool)
    }

    /// The indexes that exist in the database.
    private static let built: PostgresStatement = """
        select from pg_indexes where schemaname = 'record' and indexname ~ '^record_[0-9]+_index_'
        """

    private static let all = [
        "title ordered", "title substring", "tags elements", "place place", "___allTokens words",
        "___createTime ordered",
    ]

    @Test func whatIsDemandedTwiceIsThereOnce() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify(
                "create", "Note", "a", ["title": "x", "tags": ["y"], "place": ["latitude": 1, "longitude": 2]])
            #expect(try await client.indexStates() == [:])
            let version = try await client.schema().version
            let indexes = try await Self.indexes(client)
            try await Self.demand(indexes, client)
            let states = try await client.indexStates()
            #expect(states == Dictionary(uniqueKeysWithValues: Self.all.map { ($0, "waiting") }))
            try await Self.demand(indexes, client)
            try await database.buildIndexes()
            try await Self.demand(indexes, client)
            #expect(
                try await client.indexStates() == Dictionary(uniqueKeysWithValues: Self.all.map { ($0, "ready") }))
            #expect(try await client.schema().version == version + 1)
            #expect(try await database.query("select from record.job").isEmpty)
            let status = try await client.operate(.schemaStatus, ["environment": "development"])
            let kinds = (status["indexes"]?.array ?? []).map {
                "\($0["field"]?.string ?? "") \($0["kind"]?.string ?? "")"
            }
            #expect(
                Set(kinds) == [
                    "title QUERYABLE SORTABLE", "title SEARCHABLE", "tags QUERYABLE", "place QUERYABLE SORTABLE",
                    "___allTokens SEARCHABLE", "___createTime SORTABLE",
                ])
        }
    }

    @Test func twoInstancesDemandTheSameAtOnce() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify("create", "Note", "a", ["title": "x", "tags": ["y"], "n": 1])
            let version = try await client.schema().version
            let indexes = try await Self.indexes(client)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for round in 0..<6 {
                    group.addTask {
                        try await Self.demand(round.isMultiple(of: 2) ? indexes : indexes.reversed(), client)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await client.indexStates().count == 6)
            #expect(try await client.schema().version == version + 1)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<2 { group.addTask { try await database.buildIndexes() } }
                try await group.waitForAll()
            }
            // One of the two may have been postponed.
            try await database.query("update record.job set due_at = now()")
            try await database.buildIndexes()
            #expect(try await Set(client.indexStates().values) == ["ready"])
        }
    }

    @Test func aDemandForWhatTheSchemaDoesNotHaveIsPassedOver() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify("create", "Note", "a", ["title": "x", "n": 1])
            let indexes = try await Self.indexes(client)
            try await client.importSchema(
                "DEFINE SCHEMA RECORD TYPE Note (n STRING QUERYABLE, GRANT WRITE, CREATE, READ TO \"_icloud\");")
            try await Self.demand(indexes, client)
            #expect(try await client.indexStates() == ["___createTime ordered": "waiting"])
        }
    }

    @Test func anImportDropsTheIndexesOfRemovedFieldsAndCreatesNone() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify(
                "create", "Note", "a", ["title": "x", "tags": ["y"], "place": ["latitude": 1, "longitude": 2]])
            _ = try await client.modify("create", "Draft", "d", ["title": "x"])
            try await Self.demand(Self.indexes(client) + Self.indexes(client, type: "Draft"), client)
            try await database.buildIndexes()
            try await client.importSchema(
                """
                DEFINE SCHEMA
                RECORD TYPE Note (
                    title STRING QUERYABLE, tags STRING QUERYABLE, more STRING QUERYABLE SEARCHABLE,
                    GRANT WRITE, CREATE, READ TO "_icloud"
                );
                """)
            // (The words now come from another field.)
            #expect(
                try await client.indexStates() == [
                    "title ordered": "ready", "___createTime ordered": "ready", "___allTokens words": "waiting",
                ])
            try await client.importSchema(
                "DEFINE SCHEMA RECORD TYPE Note (title STRING QUERYABLE, GRANT WRITE, CREATE, READ TO \"_icloud\");")
            try await database.buildIndexes()
            #expect(
                try await client.indexStates() == ["title ordered": "ready", "___createTime ordered": "ready"])
            #expect(try await database.query(Self.built).count == 2)
            _ = try await client.modify("create", "Note", "b", ["title": "x"])
            #expect(try await client.words("b") == nil)
            let status = try await client.operate(.schemaStatus, ["environment": "development"])
            let title = status["indexes"]?.array?.first { $0["field"] == "title" }
            #expect(title?["kind"] == "QUERYABLE")
        }
    }

    @Test func anIndexThatIsDroppedWhileItIsBuiltGoes() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify("create", "Note", "a", ["title": "x"])
            let title = try await Self.indexes(client).filter { $0.key.field == "title" && $0.key.method == .value }
            try await Self.demand(title, client)
            try await database.whileABuildWaits(client) {
                try await client.importSchema(
                    "DEFINE SCHEMA RECORD TYPE Note (n INT64, GRANT WRITE, CREATE, READ TO \"_icloud\");")
            }
            #expect(try await client.indexStates() == [:])
            #expect(try await database.query("select from record.field_index").isEmpty)
            #expect(try await database.query(Self.built).isEmpty)
        }
    }

    @Test func anIndexOverWordsThatIsDroppedWhileWordsAreFilledInGoes() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify("create", "Note", "a", ["title": "x"])
            try await client.demandWords()
            try await database.whileABuildWaits(client) {
                try await database.query("update record.field_index set state = 'dropped'")
            }
            #expect(try await database.query("select from record.field_index").isEmpty)
            #expect(try await client.words("a") == nil)
        }
    }

    @Test func whatIsReadyIsRememberedForAVersionOfTheSchema() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify("create", "Note", "a", ["title": "x"])
            let (environment, catalog) = (try await client.environmentRow(), IndexCatalog())
            let indexes = try await Self.indexes(client)
            let keys = Set(indexes.map(\.key))
            @Sendable func ready(_ version: Int64) async throws -> Set<FieldIndex.Key> {
                try await database.pool.withConnection {
                    try await catalog.ready(keys, in: environment, version: version, on: $0)
                }
            }
            #expect(try await ready(1) == [])
            try await Self.demand(indexes, client)
            #expect(try await ready(2) == [])
            try await database.buildIndexes()
            #expect(try await ready(2) == keys)
            try await database.query("delete from record.field_index")
            #expect(try await ready(2) == keys)
            #expect(try await ready(3) == [])
            // A late caller does not remove entries that others need.
            #expect(try await ready(2) == [])
        }
    }
}

import CloudKitModel
import CloudKitSchema
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Deployed fields get their native indexes in the background, no matter what happens in the meantime.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct IndexBuilderTests {
    private static let schema = """
        DEFINE SCHEMA
        RECORD TYPE Note (
            "___createTime" TIMESTAMP SORTABLE, "___recordID" REFERENCE QUERYABLE,
            title STRING QUERYABLE SEARCHABLE SORTABLE, n INT64 QUERYABLE, at TIMESTAMP SORTABLE,
            other REFERENCE QUERYABLE, tags LIST<STRING> QUERYABLE SEARCHABLE, place LOCATION QUERYABLE, plain STRING,
            GRANT WRITE, CREATE, READ TO "_icloud"
        );
        """

    private static func deployed(
        _ database: RecordDatabase, schema: String = schema
    ) async throws -> RecordClient {
        let client = RecordClient(database: database)
        let imported = try await client.operate(.schemaImport, ["schema": .string(schema)])
        try #require(imported["version"] != nil, "\(imported)")
        return client.with { $0.environment = "production" }
    }

    /// Inserts notes directly into the table, in the same form as saves would.
    private static func fill(_ database: RecordDatabase, _ client: RecordClient, _ count: Int32) async throws {
        let environment = try await client.environmentRow()
        _ = try await client.modify("create", "Note", "a", ["title": "first", "n": 1, "tags": ["x"]])
        try await database.query(
            PostgresStatement(
                """
                insert into \(environment.recordTable) (environment, zone, name, record_type, change_seq, change_tag,
                    fields, created_at, created_by, created_device, modified_at, modified_by, modified_device)
                select environment, zone, 'n' || i, record_type, change_seq + i, 't' || i,
                    -- Now and then something that an older schema left.
                    case when i % 100 = 0 then jsonb_build_object('title', 5, 'n', 'five', 'at', '{}'::jsonb, 'tags', 1,
                        'place', jsonb_build_object('latitude', 'north', 'longitude', null))
                    else jsonb_build_object('title', repeat('long ', case when i % 1000 = 7 then 3000 else 2 end), 'n', i, 'at', 1e300 + i, 'tags',
                        jsonb_build_array('t' || i), 'place', jsonb_build_object('latitude', i % 90, 'longitude', i % 180))
                    end,
                    created_at, created_by, '2', modified_at, modified_by, '2'
                from \(environment.recordTable), generate_series(1, $1) as i where name = 'a'
                """), [.int4(count)])
        try await database.query(
            """
            update record.zone z set change_seq = change_seq + $1 from record.database d
            where d.id = z.database and d.environment = $2
            """,
            [.int4(count), .int4(environment.rawValue)])
        try await database.query(PostgresStatement("analyze \(environment.recordTable)"))
    }

    @Test func aBuildLeavesTheLimitOfLocksAsItWas() async throws {
        try await RecordDatabase.with { database in
            let client = try await Self.deployed(database)
            _ = try await client.operate(.schemaDeploy)
            let builder = IndexBuilder(pool: database.pool, logger: RecordDatabase.logger)
            while try await builder.runOnce() {}
            let limit = try await database.query("select current_setting('lock_timeout')")
            #expect(limit[0].string(0) == "10s")
        }
    }

    @Test func indexesOfADeploymentAreBuiltOverExistingRecordsWhileSavesContinue() async throws {
        try await RecordDatabase.with { database in
            let production = try await Self.deployed(database)
            _ = try await production.operate(.schemaDeploy)
            try await database.buildIndexes()
            // The index is dropped again, so that the next build has rows to read.
            _ = try await production.operate(
                .schemaImport, ["schema": .string(Self.schema.replacing("n INT64 QUERYABLE", with: "n INT64"))])
            _ = try await production.operate(.schemaDeploy)
            try await database.buildIndexes()
            #expect(try await production.indexStates()["n ordered"] == nil)
            try await Self.fill(database, production, 20_000)
            _ = try await production.operate(.schemaImport, ["schema": .string(Self.schema)])
            _ = try await production.operate(.schemaDeploy)
            #expect(try await production.indexStates()["n ordered"] == "waiting")
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await database.buildIndexes() }
                for number in 0..<5 {
                    let saved = try await production.modify(
                        "create", "Note", "during\(number)", ["n": .int(Int64(number))])
                    #expect(saved["serverErrorCode"] == nil)
                }
                try await group.waitForAll()
            }
            let states = try await production.indexStates()
            #expect(
                states
                    == Dictionary(
                        uniqueKeysWithValues: [
                            "___createTime ordered", "___recordID ordered", "title ordered", "title substring",
                            "n ordered", "at ordered", "other ordered", "tags elements", "place place",
                            "___allTokens words",
                        ].map { ($0, "ready") }))
            let jobs = try await database.query("select from record.job where kind = 'index.build'")
            #expect(jobs.isEmpty)
            let status = try await production.operate(.schemaStatus, ["environment": "production"])
            let title = status["indexes"]?.array?.first { $0["field"] == "title" && $0["method"] == "ordered" }
            #expect(title?["kind"] == "QUERYABLE SORTABLE")
            #expect(title?["progress"]?.double == 1)
            #expect((title?["bytes"]?.int ?? 0) > 0)
            #expect(status["warnings"] == [])
            // The planner has statistics of the values.
            let known = try await database.superuser.withConnection {
                try await $0.query(
                    "select from pg_statistic where starelid = ('record.' || $1)::regclass",
                    [
                        .text(title?["name"]?.string ?? "")
                    ])
            }
            #expect(!known.isEmpty)
        }
    }

    @Test func aQueryThatSaysTheSameUsesTheIndex() async throws {
        try await RecordDatabase.with { database in
            let production = try await Self.deployed(database)
            _ = try await production.operate(.schemaDeploy)
            try await Self.fill(database, production, 2000)
            try await database.buildIndexes()
            let environment = try await production.environmentRow()
            let type = try #require(try await production.schema().type("Note"))
            let zone = try #require(
                try await database.query(PostgresStatement("select zone from \(environment.recordTable) limit 1")).first
            ).int64(0)
            // The zone is a 64-bit number. GIN and GiST have no operators for other integer types.
            let records =
                "environment = \(environment.rawValue) and zone = \(zone)::int8 and "
                + FieldExpression.records(of: type.id)
            func value(_ field: String, _ type: FieldType) throws -> String {
                try #require(FieldExpression.value(of: field, type: type))
            }
            let here = FieldExpression.point(latitude: "12::float8", longitude: "12::float8")
            let place = FieldExpression.point(of: "place")
            let queries: [(index: String, query: String)] = [
                ("title ordered", "\(try value("title", .string)) = 'first'"),
                ("title ordered", "\(try value("title", .string)) = 'first' order by name limit 10"),
                ("n ordered", "\(try value("n", .int64)) > 1990"),
                ("n ordered", "true order by \(try value("n", .int64)), name limit 10"),
                ("other ordered", "\(try value("other", .reference)) = 'x'"),
                ("___createTime ordered", "\(try value("___createTime", .timestamp)) > now()"),
                ("tags elements", "\(FieldExpression.elements(of: "tags")) @> '[\"x\"]'"),
                ("title substring", "\(FieldExpression.substring(of: "title")) like '%first%'"),
                ("___allTokens words", "\(FieldExpression.words) @> array['first']"),
                ("___allTokens words", "\(FieldExpression.words) && array['first', 'last']"),
                ("place place", "\(place) operator(record.<@) record.cube_enlarge(\(here), 0.001, 3)"),
                ("place place", "true order by \(place) operator(record.<->) \(here) limit 10"),
            ]
            let names = try await database.query("select field || ' ' || method, id from record.field_index")
            for (index, query) in queries {
                let row = try #require(names.first { $0.string(0) == index })
                let statement = "select name from \(environment.recordTable) where \(records) and \(query)"
                let plan = try await database.query(PostgresStatement("explain \(statement)"))
                let text = plan.map { $0.string(0) }.joined(separator: "\n")
                #expect(text.contains(IndexTable(environment).name(row.int32(1))), "\(query)\n\(text)")
                #expect(!text.contains("Sort") || query.contains("&&"), "\(query)\n\(text)")
            }
            let near = try await database.query(
                PostgresStatement(
                    """
                    select count(*) from \(environment.recordTable) where \(records)
                        and \(place) operator(record.<@) record.cube_enlarge(\(here), 0.02, 3)
                        and \(FieldExpression.distance(place, here)) < 120000
                    """))
            // The results are 12, 192 … 1992. The nearest others, at 11|11 and 13|13, are 155 km away.
            #expect(near[0].int64(0) == 12)
        }
    }

    @Test func aBuildThatWasBrokenOffIsBegunAnew() async throws {
        try await RecordDatabase.with { database in
            let production = try await Self.deployed(database)
            _ = try await production.operate(.schemaDeploy)
            try await Self.fill(database, production, 100)
            // The state after a service was killed during the build: the job is claimed, and the index exists but is
            // invalid.
            let environment = try await production.environmentRow()
            let rows = try await database.query(
                "update record.field_index set state = 'building' where field = 'n' returning id")
            let name = IndexTable(environment).name(try #require(rows.first).int32(0))
            try await database.query(
                PostgresStatement("create index \(name) on \(environment.recordTable) (zone)"))
            try await database.superuser.withConnection {
                _ = try await $0.query(
                    "update pg_index set indisvalid = false where indexrelid = ('record.' || $1)::regclass",
                    [.text(name)])
            }
            try await database.query("update record.job set due_at = now() + interval '1 minute'")
            try await database.buildIndexes()
            #expect(try await production.indexStates()["n ordered"] == "building")
            // Makes the job due, as after a minute.
            try await database.query("update record.job set due_at = now()")
            try await database.buildIndexes()
            #expect(try await production.indexStates()["n ordered"] == "ready")
            let index = try await database.query(
                "select i.indisvalid, pg_get_indexdef(indexrelid) ~ 'numeric' from pg_index i where indexrelid = ('record.' || $1)::regclass",
                [.text(name)])
            #expect(index.first?.bool(0) == true)
            #expect(index.first?.bool(1) == true)
        }
    }

    @Test func anIndexThatCannotBeBuiltIsPutOffAndSaysWhy() async throws {
        try await RecordDatabase.with { database in
            let production = try await Self.deployed(database)
            _ = try await production.operate(.schemaDeploy)
            let environment = try await production.environmentRow()
            let rows = try await database.query("select id from record.field_index where field = 'n'")
            let name = IndexTable(environment).name(try #require(rows.first).int32(0))
            // A table with the same name prevents the build.
            try await database.query(PostgresStatement("create table record.\(name) ()"))
            try await database.buildIndexes()
            let status = try await production.operate(.schemaStatus, ["environment": "production"])
            let index = status["indexes"]?.array?.first { $0["field"] == "n" }
            #expect(index?["state"] == "failed")
            #expect(index?["lastError"]?.string?.isEmpty == false)
            #expect(try await production.indexStates()["title ordered"] == "ready")
            try await database.query(PostgresStatement("drop table record.\(name)"))
            try await database.query("update record.field_index set due_at = now() where state = 'failed'")
            try await database.query("update record.job set due_at = now()")
            try await database.buildIndexes()
            #expect(try await production.indexStates()["n ordered"] == "ready")
        }
    }
}

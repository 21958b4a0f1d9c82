import CloudKitModel
import CloudKitSchema
import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Semantics 3.3 and 3.4: operators' requests to import, deploy, reset and export a schema.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct SchemaOperationTests {
    private static let note = """
        DEFINE SCHEMA
        CREATE ROLE editor;
        RECORD TYPE Note (
            "___recordID" REFERENCE QUERYABLE, title STRING QUERYABLE SORTABLE, n INT64,
            GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world", GRANT WRITE TO editor
        );
        """

    private static func client(_ database: RecordDatabase) -> RecordClient { RecordClient(database: database) }

    private static func export(_ client: RecordClient, _ environment: String = "development") async throws
        -> SchemaDefinition
    {
        let answer = try await client.operate(.schemaExport, ["environment": .string(environment)])
        return try SchemaDefinition(parsing: try #require(answer["schema"]?.string))
    }

    @Test func anImportIsExportedAsItCameAndChangesNothingTheSecondTime() async throws {
        try await RecordDatabase.with { database in
            let client = Self.client(database)
            let first = try await client.operate(.schemaImport, ["schema": .string(Self.note)])
            #expect(first["changes"]?.array?.isEmpty == false, "\(first)")
            #expect(try await Self.export(client) == SchemaDefinition(parsing: Self.note))
            let second = try await client.operate(.schemaImport, ["schema": .string(Self.note)])
            #expect(second["changes"] == [])
            #expect(second["version"] == first["version"])
        }
    }

    @Test func aTextThatIsNotValidNamesItsPlaceAndChangesNothing() async throws {
        try await RecordDatabase.with { database in
            let client = Self.client(database)
            _ = try await client.operate(.schemaImport, ["schema": .string(Self.note)])
            let text = JSONValue.string("DEFINE SCHEMA\n  RECORD TYPO Note ();")
            let refused = try await client.operate(.schemaImport, ["schema": text])
            #expect(refused["serverErrorCode"] == "BAD_REQUEST")
            #expect(refused["reasonCode"] == "schema_invalid")
            #expect(refused["line"] == 2)
            #expect(refused["column"] == 10)
            let validated = try await client.operate(.schemaValidate, ["schema": text])
            #expect(validated["isValid"] == false)
            #expect(validated["line"] == 2)
            #expect(try await Self.export(client) == SchemaDefinition(parsing: Self.note))
        }
    }

    @Test func productionAcceptsWhatWasDeployedAtOnceOnEveryInstance() async throws {
        try await RecordDatabase.with { database in
            let client = Self.client(database)
            let production = client.with { $0.environment = "production" }
            let elsewhere = production.onAnotherInstance
            let refused = try await elsewhere.modify("create", "Note", "a", ["title": "x"])
            #expect(refused["reason"] == "Cannot create new type Note in production schema")
            _ = try await client.operate(.schemaImport, ["schema": .string(Self.note)])
            let planned = try await client.operate(.schemaDeploy, ["dryRun": true])
            #expect(planned["changes"]?.array?.contains { $0["change"] == "typeAdded" } == true)
            #expect(try await Self.export(client, "production") == SchemaDefinition())
            let deployed = try await client.operate(.schemaDeploy)
            #expect(deployed["changes"] == planned["changes"])
            #expect(try await elsewhere.modify("create", "Note", "a", ["title": "x"]).value("title") == "x")
            let field = try await elsewhere.modify("update", "Note", "a", ["more": "x"])
            #expect(field["reason"] == "Cannot create or modify field 'more' in record 'Note' in production schema")
            #expect(try await client.operate(.schemaDeploy)["changes"] == [])
        }
    }

    @Test func aDeployKeepsTheGrantsThatOnlyProductionHas() async throws {
        try await RecordDatabase.with { database in
            let client = Self.client(database)
            _ = try await client.operate(.schemaImport, ["schema": .string(Self.note)])
            _ = try await client.operate(.schemaDeploy)
            let auditing = Self.note.replacing("CREATE ROLE editor;", with: "CREATE ROLE editor; CREATE ROLE auditor;")
                .replacing("GRANT WRITE TO editor", with: "GRANT WRITE TO editor, GRANT READ TO auditor")
            try await client.with { $0.environment = "production" }
                .replaceSchema(with: SchemaDefinition(parsing: auditing))
            #expect(try await client.operate(.schemaDeploy)["changes"] == [])
            let more = Self.note.replacing("n INT64", with: "n INT64, more STRING")
            _ = try await client.operate(.schemaImport, ["schema": .string(more)])
            _ = try await client.operate(.schemaDeploy)
            let expected = try SchemaDefinition(parsing: auditing.replacing("n INT64", with: "n INT64, more STRING"))
            #expect(try await Self.export(client, "production") == expected)
        }
    }

    @Test func savesTeachASchemaNoMoreTypesThanATextMayHave() async throws {
        try await RecordDatabase.with { database in
            let client = Self.client(database)
            let types = (0..<SchemaLimits.maxRecordTypes).map { "RECORD TYPE T\($0) (n INT64);" }
            let imported = try await client.operate(
                .schemaImport, ["schema": .string("DEFINE SCHEMA\n" + types.joined(separator: "\n"))])
            try #require(imported["version"] != nil, "\(imported)")
            let error = try await #require(throws: ServerError.self) {
                try await client.modify("create", "OneMore", "a", ["n": 1])
            }
            #expect(error.reasonCode == "schema_too_large")
            #expect(error.limit == SchemaLimits.maxRecordTypes)
            #expect(try await client.look("a")["serverErrorCode"] == "NOT_FOUND")
            #expect(try await client.modify("create", "T7", "b", ["n": 1]).value("n") == 1)
        }
    }

    @Test func aBatchThatFailsAnywayTeachesTheSchemaNothing() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            _ = try await database.outcomes(zone, database.operation("create", "there"))
            let before = try await Self.export(Self.client(database))
            let fails = try database.request(
                zone, database.operation("create", "new", ["unheardOf": 1]),
                database.operation("create", "there"), atomic: true)
            let (answers, _) = try await database.write(fails)
            #expect(answers[0]["records"]?.array?.allSatisfy { $0["serverErrorCode"] != nil } == true, "\(answers)")
            #expect(try await Self.export(Self.client(database)) == before)
        }
    }

    @Test func whatProductionHasIsNeitherRemovedNorRetyped() async throws {
        try await RecordDatabase.with { database in
            let client = Self.client(database)
            _ = try await client.operate(.schemaImport, ["schema": .string(Self.note)])
            _ = try await client.operate(.schemaDeploy)
            for text in [
                "DEFINE SCHEMA", Self.note.replacing(", n INT64", with: ""),
                Self.note.replacing("INT64", with: "STRING"),
            ] {
                let refused = try await client.operate(.schemaImport, ["schema": .string(text)])
                #expect(refused["reasonCode"] == "schema_loses_data")
                #expect(refused["field"]?.string?.hasPrefix("Note") == true)
            }
            // An index may be dropped.
            let text = Self.note.replacing(" SORTABLE", with: "").replacing(
                #""___recordID" REFERENCE QUERYABLE, "#, with: "")
            _ = try await client.operate(.schemaImport, ["schema": .string(text)])
            _ = try await client.operate(.schemaDeploy)
            #expect(try await Self.export(client, "production") == SchemaDefinition(parsing: text))
        }
    }

    @Test func resettingRemovesTheDataAndTakesProductionsSchema() async throws {
        try await RecordDatabase.with { database in
            let client = Self.client(database)
            let elsewhere = client.onAnotherInstance
            _ = try await client.operate(.schemaImport, ["schema": .string(Self.note)])
            _ = try await client.operate(.schemaDeploy)
            let production = client.with { $0.environment = "production" }
            _ = try await production.modify("create", "Note", "kept", ["title": "x"])
            _ = try await elsewhere.modify("create", "Draft", "gone", ["text": "x"])
            let page = try await elsewhere.ask(.changesZone, ["zones": [["zoneID": ["zoneName": "_defaultZone"]]]])
            let token = try #require(page["zones"]?[0]?["syncToken"])

            let reset = try await client.operate(.schemaReset)
            #expect(reset["changes"]?.array?.contains { $0["change"] == "typeRemoved" } == true, "\(reset)")
            #expect(try await Self.export(client) == SchemaDefinition(parsing: Self.note))
            #expect(try await production.look("kept").value("title") == "x")
            // An instance that has cached the old environment finds the new one.
            #expect(try await elsewhere.look("gone")["serverErrorCode"] == "NOT_FOUND")
            let zones = try await elsewhere.ask(.zonesList, [:])
            #expect(zones["zones"]?.array?.count == 1)
            #expect(try await elsewhere.modify("create", "Note", "new", ["title": "y"]).value("title") == "y")
            let expired = try await elsewhere.ask(
                .changesZone, ["zones": [["zoneID": ["zoneName": "_defaultZone"], "syncToken": token]]])
            #expect(expired["zones"]?[0]?["reasonCode"] == "change_token_expired")
            let reclaimer = Reclaimer(pool: database.pool, retention: .seconds(3600), logger: RecordDatabase.logger)
            while try await reclaimer.runOnce() {}
            let tables = try await database.query(
                "select relname::text from pg_class where relname ~ '^record_[0-9]+$' and relkind = 'r'")
            #expect(tables.count == 2)
        }
    }

    @Test func aRoleGivesItsUsersWhatItWasGranted() async throws {
        try await RecordDatabase.with { database in
            let client = Self.client(database).with { $0.scope = "public" }
            let editor = client.onAnotherInstance.with { $0.user = "_" + String(repeating: "e", count: 32) }
            let user = try #require(editor.user)
            _ = try await client.operate(.schemaImport, ["schema": .string(Self.note)])
            _ = try await client.modify("create", "Note", "a", ["title": "x"])
            #expect(try await editor.modify("update", "Note", "a")["serverErrorCode"] == "ACCESS_DENIED")
            func assign(_ role: JSONValue, _ assigned: Bool) async throws -> JSONValue {
                try await client.operate(
                    .rolesAssign,
                    [
                        "environment": "development", "role": role, "users": [.string(user)],
                        "assigned": .bool(assigned),
                    ])
            }
            #expect(try await assign("editor", true)["users"] == [.string(user)])
            #expect(try await assign("nobody", true)["reasonCode"] == "role_not_found")
            #expect(try await editor.modify("update", "Note", "a", ["title": "y"]).value("title") == "y")
            let listed = try await client.operate(.rolesList, ["environment": "development"])
            #expect(listed["roles"] == [["role": "editor", "users": [.string(user)]]])
            #expect(try await assign("editor", false)["users"] == [])
            #expect(try await editor.modify("update", "Note", "a")["serverErrorCode"] == "ACCESS_DENIED")
        }
    }
}

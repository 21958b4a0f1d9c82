import CloudKitModel
import CloudKitSchema
import CloudKitWire
import Testing

@testable import RecordService
@testable import RecordStorage

/// Semantics 3: types and fields that are added, hidden and brought back, and their effect on every instance.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct SchemaStoreTests {
    private static func definition(_ fields: [String: FieldType], type: String = "Note") -> SchemaDefinition {
        SchemaDefinition(recordTypes: [
            RecordTypeDefinition(
                name: type, fields: fields.map { FieldDefinition(name: $0.key, type: $0.value) },
                grants: GrantDefinition.ofInferredTypes)
        ])
    }

    @Test func savingMakesATypeThatEverybodyMayUseAndFieldsWithEveryIndexTheirTypeAllows() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            let before = try await client.schema()
            _ = try await client.modify(
                "create", "Note", "a", ["title": "x", "tags": ["y"], "place": ["latitude": 1, "longitude": 2]])
            let schema = try await client.schema()
            let note = try #require(schema.type("Note"))
            #expect(note.grants == ["_creator": .write, "_icloud": .create, "_world": .read])
            #expect(note.indexes["title"] == [.queryable, .searchable, .sortable])
            #expect(note.indexes["tags"] == [.queryable, .searchable])
            #expect(note.indexes["place"] == [.queryable, .sortable])
            // An extension removes nothing, so no cached schema becomes invalid.
            #expect(schema.version == before.version)
        }
    }

    @Test func aFieldThatIsHiddenKeepsItsValuesAndComesBackWithThem() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify("create", "Note", "a", ["title": "old", "kept": "k"])
            try await client.replaceSchema(with: Self.definition(["kept": .string]))
            let hidden = try await client.look("a")
            #expect(hidden.value("title") == nil)
            #expect(hidden.value("kept") == "k")
            _ = try await client.modify("update", "Note", "a", ["kept": "l"])
            try await client.replaceSchema(with: Self.definition(["kept": .string, "title": .string]))
            let back = try await client.look("a")
            #expect(back.value("title") == "old")
            #expect(back.value("kept") == "l")
        }
    }

    @Test func aFieldThatComesBackWithAnotherTypeHasLostItsValues() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify("create", "Note", "a", ["title": "old", "kept": "k"])
            try await client.replaceSchema(with: Self.definition(["kept": .string]))
            try await client.replaceSchema(with: Self.definition(["kept": .string, "title": .timestamp]))
            let back = try await client.look("a")
            #expect(back.value("title") == nil)
            let saved = try await client.modify("update", "Note", "a", ["title": 5])
            #expect(saved.value("title") == 5)
            #expect(saved.value("kept") == "k")
        }
    }

    @Test func aSaveBringsBackWhatAnImportHid() async throws {
        try await RecordDatabase.with { database in
            let client = RecordClient(database: database)
            _ = try await client.modify("create", "Note", "a", ["title": "old", "n": "text"])
            try await client.replaceSchema(with: SchemaDefinition())
            let gone = try await client.look("a")
            #expect(gone["serverErrorCode"] == "NOT_FOUND")
            #expect(try await client.feed() == [])
            let saved = try await client.modify("create", "Note", "b", ["n": 5])
            #expect(saved.value("n") == 5)
            let back = try await client.look("a")
            #expect(back["recordType"] == "Note")
            // The field has a different type than before, and the save does not name it.
            #expect(back.value("n") == nil)
            #expect(back.value("title") == nil)
            let schema = try await client.schema()
            #expect(schema.type("Note")?.grants.count == 3)
        }
    }

    @Test func everyInstanceGoesByTheSchemaAsItIs() async throws {
        try await RecordDatabase.with { database in
            let (one, other) = (RecordClient(database: database), RecordClient(database: database).onAnotherInstance)
            _ = try await one.modify("create", "Note", "a", ["f": "text"])
            #expect(try await other.look("a").value("f") == "text")
            try await one.replaceSchema(with: Self.definition(["f": .timestamp]))
            _ = try await one.modify("update", "Note", "a", ["f": 7])
            // The other instance has cached the field as a string.
            #expect(try await other.look("a").value("f") == 7)
            let refused = try await other.modify("update", "Note", "a", ["f": "text"])
            #expect(refused["reasonCode"] == "field_type_mismatch")
        }
    }

    @Test func fieldsThatAnotherInstanceAddedAreReadWhenTheyAreMet() async throws {
        try await RecordDatabase.with { database in
            let (one, other) = (RecordClient(database: database), RecordClient(database: database).onAnotherInstance)
            _ = try await other.modify("create", "Note", "a", ["f": "text"])
            _ = try await one.modify("create", "Note", "b", ["g": "later"])
            _ = try await one.modify("create", "Draft", "c", ["h": 1])
            #expect(try await other.look("b").value("g") == "later")
            #expect(try await other.look("c")["recordType"] == "Draft")
            let refused = try await other.modify("create", "Note", "d", ["g": 5])
            #expect(refused["reasonCode"] == "field_type_mismatch")
        }
    }

    @Test func whileAFieldIsRetypedNoReaderMeetsAValueOfItsOtherType() async throws {
        try await RecordDatabase.with { database in
            let importer = RecordClient(database: database)
            try await importer.replaceSchema(with: Self.definition(["f": .string]))
            let (writer, reader) = (importer.onAnotherInstance, importer.onAnotherInstance)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    for round in 0..<20 {
                        try await importer.replaceSchema(
                            with: Self.definition(["f": round.isMultiple(of: 2) ? .timestamp : .string]))
                    }
                }
                group.addTask {
                    for round in 0..<60 {
                        let value: JSONValue = round.isMultiple(of: 2) ? "text" : 7
                        let saved = try await writer.modify("forceReplace", "Note", "a", ["f": value])
                        if let refused = saved["reasonCode"] {
                            #expect(refused == "field_type_mismatch" || refused == "invalid_value", "\(saved)")
                        } else {
                            Self.expectSound(saved)
                        }
                    }
                }
                group.addTask {
                    for _ in 0..<120 {
                        let read = try await reader.look("a")
                        if read["reasonCode"] != "record_not_found" { Self.expectSound(read) }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    /// Expects that the field's value has the type that the answer names.
    private static func expectSound(_ record: JSONValue) {
        #expect(record["recordType"] == "Note", "\(record)")
        guard let value = record.value("f") else { return }
        let type: JSONValue = value.string == nil ? "TIMESTAMP" : "STRING"
        #expect(record["fields"]?["f"]?["type"] == type, "\(record)")
    }
}

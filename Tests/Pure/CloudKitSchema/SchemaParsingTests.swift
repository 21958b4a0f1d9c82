import CloudKitModel
import CloudKitSchema
import Testing

struct SchemaParsingTests {
    private func type(_ items: String) throws -> RecordTypeDefinition {
        let schema = try SchemaDefinition(parsing: "DEFINE SCHEMA CREATE ROLE editors; RECORD TYPE Note (\(items));")
        return try #require(schema.recordTypes.first)
    }

    @Test(arguments: [
        ("ASSET", FieldType.asset), ("REFERENCE", .reference), ("STRING", .string), ("INT64", .int64),
        ("DOUBLE", .double), ("BYTES", .bytes), ("LOCATION", .location), ("TIMESTAMP", .timestamp),
        ("NUMBER", .number), ("NUMBER PREFERRED AS INT64", .number(preferredAs: .int64)),
        ("NUMBER PREFERRED AS DOUBLE", .number(preferredAs: .double)), ("LIST<STRING>", .list(.string)),
        ("LIST < ASSET >", .list(.asset)), ("LIST<REFERENCE>", .list(.reference)),
        ("ENCRYPTED BYTES", FieldType(.bytes, isEncrypted: true)),
        ("ENCRYPTED STRING", FieldType(.string, isEncrypted: true)),
        ("ENCRYPTED DOUBLE", FieldType(.double, isEncrypted: true)),
        ("ENCRYPTED INT64", FieldType(.int64, isEncrypted: true)),
        ("ENCRYPTED LOCATION", FieldType(.location, isEncrypted: true)),
        ("ENCRYPTED TIMESTAMP", FieldType(.timestamp, isEncrypted: true)),
        ("LIST<ENCRYPTED STRING>", FieldType(.string, isList: true, isEncrypted: true)),
        ("ENCRYPTED LIST<STRING>", FieldType(.string, isList: true, isEncrypted: true)),
        ("list<encrypted int64>", FieldType(.int64, isList: true, isEncrypted: true)),
    ])
    func everyDataType(text: String, type expected: FieldType) throws {
        let field = try type("f \(text)").fields.last
        #expect(field == FieldDefinition(name: "f", type: expected))
    }

    @Test(
        arguments: [
            ("STRING QUERYABLE", FieldIndexes.queryable), ("STRING SORTABLE", .sortable),
            ("STRING SEARCHABLE", .searchable),
            ("STRING SORTABLE SEARCHABLE QUERYABLE", [.queryable, .sortable, .searchable]),
            ("LIST<STRING> QUERYABLE SEARCHABLE", [.queryable, .searchable]), ("LOCATION QUERYABLE", .queryable),
            ("REFERENCE QUERYABLE SORTABLE", [.queryable, .sortable]),
            ("NUMBER queryable Sortable", [.queryable, .sortable]),
            ("NUMBER PREFERRED AS INT64 QUERYABLE", .queryable),
        ] as [(String, FieldIndexes)])
    func everyIndex(text: String, indexes: FieldIndexes) throws {
        #expect(try type("f \(text)").fields.last?.indexes == indexes)
    }

    @Test(arguments: [
        ("// to the end", "\n"), ("-- to the end", "\r\n"), ("/* up to\n * here */", ""), ("//", "\r"), ("/**/", ""),
        ("/* /* not nested */", ""),
    ])
    func commentsOfThreeKinds(comment: String, end: String) throws {
        let text = "\(comment)\(end)DEFINE\(comment)\(end)SCHEMA RECORD TYPE N(f\(comment)\(end)STRING);\(comment)"
        #expect(try SchemaDefinition(parsing: text).recordTypes.first?.fields.last?.name == "f")
    }

    @Test func fieldsAndGrantsMixAndATrailingCommaIsNothing() throws {
        let mixed = try type(#"GRANT READ TO "_world", b STRING, GRANT WRITE TO editors, a INT64,"#)
        #expect(mixed == (try type(#"a INT64, b STRING, GRANT WRITE TO editors, GRANT READ TO "_world""#)))
    }

    @Test func keywordsAreKeywordsInAnyCaseAndNamesAreExact() throws {
        let schema = try SchemaDefinition(
            parsing:
                #"define Schema create role Editors; record type note (F string queryable, grant read to Editors);"#)
        let field = FieldDefinition(name: "F", type: .string, indexes: .queryable)
        let grant = GrantDefinition(role: "Editors", permissions: .read)
        #expect(
            schema
                == SchemaDefinition(
                    roles: ["Editors"],
                    recordTypes: [RecordTypeDefinition(name: "note", fields: [field], grants: [grant])]))
    }

    @Test func keywordsMayBeNamesWhereNothingElseCanStand() throws {
        let items = "string STRING, list LIST<STRING>, record INT64, \"grant\" INT64, \"Queryable\" STRING QUERYABLE"
        #expect(
            try type(items).fields.dropFirst(6).map(\.name) == ["Queryable", "grant", "list", "record", "string"])
    }

    @Test func rolesMayBeUsedBeforeTheyAreMadeAndNamedFreely() throws {
        let schema = try SchemaDefinition(
            parsing:
                #"DEFINE SCHEMA RECORD TYPE N (GRANT READ, CREATE, WRITE TO "test role"); CREATE ROLE "test role";"#)
        #expect(schema.roles == ["test role"])
        #expect(
            schema.recordTypes[0].grants
                == [GrantDefinition(role: "test role", permissions: [.read, .create, .write])])
    }

    @Test func severalGrantsToARoleAddUp() throws {
        let grants = try type(#"GRANT READ TO "_icloud", GRANT CREATE, WRITE TO "_icloud""#).grants
        #expect(grants == [GrantDefinition(role: "_icloud", permissions: [.read, .create, .write])])
    }

    @Test func systemFieldsAreThereWrittenOrNot() throws {
        let written = try type(#""___recordID" REFERENCE QUERYABLE, "___createTime" TIMESTAMP"#)
        #expect(written.fields.count == 6)
        #expect(written.fields.last?.indexes == .queryable)
        #expect(try type("").fields.allSatisfy { $0.isSystem && $0.indexes.isEmpty })
    }

    @Test func sharesHaveFieldsOfTheSystem() throws {
        let text = #"DEFINE SCHEMA RECORD TYPE "cloudkit.share" ("cloudkit.title" STRING, "cloudkit.type" STRING);"#
        #expect(try SchemaDefinition(parsing: text).recordTypes[0].fields.last?.name == "cloudkit.type")
    }

    @Test func sharesHaveFieldsOfTheApplicationWithDots() throws {
        let text = #"DEFINE SCHEMA RECORD TYPE "cloudkit.share" ("com.example.color" STRING QUERYABLE, note STRING);"#
        let schema = try SchemaDefinition(parsing: text)
        #expect(schema.recordTypes.first?.fields.map(\.name).suffix(2) == ["com.example.color", "note"])
        #expect(try SchemaDefinition(parsing: schema.formatted()) == schema)
        #expect(throws: SchemaError.self) {
            try SchemaDefinition(parsing: text.replacing(#""cloudkit.share""#, with: "Note"))
        }
        #expect(throws: SchemaError.self) { try SchemaDefinition(parsing: text.replacing("com.example", with: "com.")) }
    }

    @Test(arguments: ["DEFINE SCHEMA", "\u{FEFF}define schema\n", "DEFINE SCHEMA -- nothing"])
    func aSchemaMayBeEmpty(text: String) throws {
        #expect(try SchemaDefinition(parsing: text) == SchemaDefinition())
    }
}

import CloudKitModel
import CloudKitSchema
import Testing

struct SchemaDiffTests {
    private func diff(_ old: String, _ new: String) throws -> SchemaDiff {
        SchemaDiff(
            from: try SchemaDefinition(parsing: "DEFINE SCHEMA \(old)"),
            to: try SchemaDefinition(parsing: "DEFINE SCHEMA \(new)"))
    }

    @Test(arguments: [
        ("", "CREATE ROLE b; CREATE ROLE a;", ["+ ROLE a", "+ ROLE b"], []),
        ("CREATE ROLE a;", "", ["- ROLE a"], []),
        (
            "",
            #"RECORD TYPE N (b STRING QUERYABLE, a LIST<ENCRYPTED INT64>, "___recordID" REFERENCE QUERYABLE, GRANT READ TO "_world");"#,
            [
                "+ RECORD TYPE N", "+ index QUERYABLE on N.___recordID", "+ N.a LIST<ENCRYPTED INT64>",
                "+ N.b STRING QUERYABLE", #"+ GRANT READ TO "_world" on N"#,
            ], []
        ),
        ("RECORD TYPE N (a STRING);", "", ["- RECORD TYPE N"], ["- RECORD TYPE N"]),
        (
            "RECORD TYPE N (a STRING SORTABLE);", "RECORD TYPE N ();", ["- N.a STRING SORTABLE"],
            ["- N.a STRING SORTABLE"]
        ),
        (
            "RECORD TYPE N (a STRING);", "RECORD TYPE N (a INT64 QUERYABLE);",
            ["~ N.a STRING becomes INT64", "+ index QUERYABLE on N.a"], ["~ N.a STRING becomes INT64"]
        ),
        (
            "RECORD TYPE N (a STRING QUERYABLE SORTABLE);", "RECORD TYPE N (a STRING SEARCHABLE QUERYABLE);",
            ["+ index SEARCHABLE on N.a", "- index SORTABLE on N.a"], []
        ),
        (
            #"RECORD TYPE N ("___modTime" TIMESTAMP SORTABLE);"#, "RECORD TYPE N ();",
            ["- index SORTABLE on N.___modTime"], []
        ),
        (
            "RECORD TYPE N (a NUMBER);", "RECORD TYPE N (a NUMBER PREFERRED AS DOUBLE);",
            ["~ N.a NUMBER becomes NUMBER PREFERRED AS DOUBLE"], []
        ),
        (
            "RECORD TYPE N (a NUMBER PREFERRED AS INT64);", "RECORD TYPE N (a NUMBER PREFERRED AS DOUBLE);",
            ["~ N.a NUMBER PREFERRED AS INT64 becomes NUMBER PREFERRED AS DOUBLE"],
            ["~ N.a NUMBER PREFERRED AS INT64 becomes NUMBER PREFERRED AS DOUBLE"]
        ),
        (
            "RECORD TYPE N (a NUMBER PREFERRED AS INT64);", "RECORD TYPE N (a NUMBER);",
            ["~ N.a NUMBER PREFERRED AS INT64 becomes NUMBER"], ["~ N.a NUMBER PREFERRED AS INT64 becomes NUMBER"]
        ),
        (
            #"CREATE ROLE a; RECORD TYPE N (GRANT READ TO a, GRANT WRITE TO "_creator");"#,
            #"CREATE ROLE b; RECORD TYPE N (GRANT READ TO b, GRANT READ, WRITE TO "_creator");"#,
            [
                "+ ROLE b", #"~ GRANT READ, WRITE TO "_creator" on N, was WRITE"#, "+ GRANT READ TO b on N",
                "- GRANT READ TO a on N", "- ROLE a",
            ], []
        ),
        (
            "RECORD TYPE B (a STRING); RECORD TYPE C ();", "RECORD TYPE C (); RECORD TYPE A ();",
            ["+ RECORD TYPE A", "- RECORD TYPE B"], ["- RECORD TYPE B"]
        ),
    ])
    func changesAreListedInTheOrderInWhichTheyCanBeMade(old: String, new: String, changes: [String], losses: [String])
        throws
    {
        let diff = try diff(old, new)
        #expect(diff.changes.map(\.description) == changes)
        #expect(diff.losses.map(\.description) == losses)
    }

    @Test func changesNameWhatTheyChange() throws {
        let diff = try diff(
            "RECORD TYPE N (a STRING);", #"RECORD TYPE N (a INT64 SORTABLE, GRANT READ TO "_world");"#)
        #expect(diff.changes.map(\.kind) == ["fieldTypeChanged", "indexAdded", "grantAdded"])
        #expect(diff.changes.allSatisfy { $0.recordType == "N" })
        #expect(diff.changes.map(\.field) == ["a", "a", nil])
        #expect(diff.changes.map(\.role) == [nil, nil, "_world"])
    }

    @Test(arguments: 0..<50) func aSchemaDoesNotDifferFromItself(seed: Int) throws {
        var schemas = RandomSchemas(seed: seed)
        let schema = schemas.schema()
        #expect(SchemaDiff(from: schema, to: schema).isEmpty)
        let other = schemas.schema()
        #expect(SchemaDiff(from: schema, to: other).isEmpty == (schema == other))
    }
}

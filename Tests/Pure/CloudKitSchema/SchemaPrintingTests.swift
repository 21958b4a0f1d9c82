import CloudKitModel
import CloudKitSchema
import Testing

struct SchemaPrintingTests {
    /// A schema in the layout of `cktool export-schema`.
    static let exported = """
        DEFINE SCHEMA

            CREATE ROLE editors;
            CREATE ROLE "test role";

            RECORD TYPE Note (
                "___createTime" TIMESTAMP QUERYABLE SORTABLE,
                "___createdBy"  REFERENCE,
                "___etag"       STRING,
                "___modTime"    TIMESTAMP,
                "___modifiedBy" REFERENCE,
                "___recordID"   REFERENCE QUERYABLE,
                count           NUMBER PREFERRED AS INT64,
                "grant"         LIST<ENCRYPTED STRING>,
                title           STRING QUERYABLE SEARCHABLE SORTABLE,
                GRANT WRITE TO "_creator",
                GRANT CREATE TO "_icloud",
                GRANT READ TO "_world",
                GRANT READ, CREATE, WRITE TO editors
            );

            RECORD TYPE Users (
                "___createTime"        TIMESTAMP,
                "___createdBy"         REFERENCE,
                "___etag"              STRING,
                "___modTime"           TIMESTAMP,
                "___modifiedBy"        REFERENCE,
                "___recordID"          REFERENCE,
                aNameLongerThanTheRest ASSET
            );

        """

    @Test func theLayoutIsThatOfCloudKitsTools() throws {
        #expect(try SchemaDefinition(parsing: Self.exported).formatted() == Self.exported)
        #expect(SchemaDefinition().formatted() == "DEFINE SCHEMA\n")
    }

    @Test(arguments: 0..<200) func whatIsPrintedReadsBackAndPrintsTheSame(seed: Int) throws {
        var schemas = RandomSchemas(seed: seed)
        let schema = schemas.schema()
        let text = schema.formatted()
        let read = try SchemaDefinition(parsing: text)
        #expect(read == schema, "\(text)")
        #expect(read.formatted() == text)
    }

    @Test func aLargeSchemaComesBackAsItWas() throws {
        let kinds = ["STRING QUERYABLE", "INT64 QUERYABLE SORTABLE", "LIST<DOUBLE>", "ENCRYPTED BYTES", "NUMBER"]
        let types = (0..<40).map { type in
            let fields = (0..<10).map { "f\($0) \(kinds[($0 + type) % kinds.count])" }
            return "RECORD TYPE Type\(type) (\(fields.joined(separator: ",\n")), GRANT READ TO \"_world\");"
        }
        let schema = try SchemaDefinition(parsing: "DEFINE SCHEMA \(types.joined(separator: "\n"))")
        #expect(schema.recordTypes.count == 40)
        #expect(schema.recordTypes.reduce(0) { $0 + $1.fields.count } == 40 * 16)
        let text = schema.formatted()
        #expect(try SchemaDefinition(parsing: text).formatted() == text)
        #expect(SchemaDiff(from: schema, to: try SchemaDefinition(parsing: text)).isEmpty)
    }
}

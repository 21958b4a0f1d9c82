import CloudKitSchema
import Testing

/// Declarations in a schema that have no effect.
struct SchemaWarningTests {
    private static func schema(_ items: String) throws -> SchemaDefinition {
        try SchemaDefinition(parsing: "DEFINE SCHEMA RECORD TYPE Note (\(items));")
    }

    @Test(arguments: ["BYTES", "LIST<BYTES>"])
    func bytesMayBeDeclaredQueryable(type: String) throws {
        let schema = try Self.schema("data \(type) QUERYABLE, title STRING QUERYABLE")
        #expect(
            schema.warnings == [
                "No index is kept for the field 'data' of 'Note': queries cannot compare \(type), and QUERYABLE has no effect"
            ])
        // The keyword stays in the schema, so that the exported text equals the imported one.
        #expect(try SchemaDefinition(parsing: schema.formatted()) == schema)
        #expect(schema.formatted().contains("\(type) QUERYABLE"))
    }

    @Test func whatHasAnEffectIsNotWarnedOf() throws {
        let schema = try Self.schema(
            "data BYTES, title STRING QUERYABLE SEARCHABLE SORTABLE, at LOCATION QUERYABLE, \"___recordID\" REFERENCE QUERYABLE"
        )
        #expect(schema.warnings == [])
    }
}

import CloudKitSchema
import Testing

struct MalformedSchemaTests {
    /// Whole texts. `▸` precedes the character that the error names, and is not part of the text.
    private static let texts: [(String, String)] = [
        ("▸", "Was expecting DEFINE"), ("  \n ▸", "Was expecting DEFINE"), ("▸SCHEMA", "Was expecting DEFINE"),
        ("▸\"DEFINE\" SCHEMA", "Was expecting DEFINE"), ("// only a comment▸", "Was expecting DEFINE"),
        ("▸RECORD TYPE N ();", "Was expecting DEFINE"), ("▸;", "Was expecting DEFINE"),
        ("▸DEFINED SCHEMA", "Was expecting DEFINE"), ("▸\u{1}DEFINE SCHEMA", "Was expecting DEFINE"),
        ("▸/* DEFINE SCHEMA", "A comment that begins with /* is not closed"),
        ("▸\"DEFINE SCHEMA", "A quoted name is not closed on its line"),
        ("DEFINE▸", "Encountered the end of the text, was expecting SCHEMA"),
        ("DEFINE ▸TABLE", "Encountered 'TABLE', was expecting SCHEMA"),
        ("DEFINE\n  ▸;", "Encountered ';', was expecting SCHEMA"),
        ("DEFINE SCHEMA▸;", "Encountered ';', was expecting CREATE ROLE or RECORD TYPE"),
        ("DEFINE SCHEMA ▸DEFINE SCHEMA", "Encountered 'DEFINE', was expecting CREATE ROLE or RECORD TYPE"),
        ("DEFINE SCHEMA\r\n▸TYPE N ();", "Encountered 'TYPE'"), ("DEFINE SCHEMA\r\r▸x", "Encountered 'x'"),
        ("DEFINE SCHEMA\n\n▸🦊", "Encountered '🦊'"), ("DEFINE SCHEMA ▸\u{7}", "Encountered 'U+7'"),
        ("DEFINE SCHEMA /* é🦊\n */ ▸)", "Encountered ')'"), ("DEFINE SCHEMA /* é🦊 */ ▸)", "Encountered ')'"),
        ("DEFINE SCHEMA \u{2028} ▸)", "Encountered ')'"), ("DEFINE SCHEMA ▸-", "Encountered '-'"),
        ("DEFINE SCHEMA ▸/", "Encountered '/'"), ("DEFINE SCHEMA ▸*/", "Encountered '*'"),
        ("DEFINE SCHEMA ▸/*/", "A comment that begins with /* is not closed"),
        ("DEFINE SCHEMA\n▸\"N\n\"", "A quoted name is not closed on its line"),
        ("DEFINE SCHEMA CREATE▸", "Encountered the end of the text, was expecting ROLE"),
        ("DEFINE SCHEMA CREATE ▸TYPE N", "Encountered 'TYPE', was expecting ROLE"),
        ("DEFINE SCHEMA CREATE ROLE▸;", "Encountered ';', was expecting the role's name"),
        ("DEFINE SCHEMA CREATE ROLE ▸_world;", "Encountered '_world', was expecting the role's name"),
        ("DEFINE SCHEMA CREATE ROLE ▸grant;", "Encountered 'grant', was expecting the role's name"),
        ("DEFINE SCHEMA CREATE ROLE ▸1a;", "Encountered '1a', was expecting the role's name"),
        ("DEFINE SCHEMA CREATE ROLE a▸", "Encountered the end of the text, was expecting ';'"),
        ("DEFINE SCHEMA CREATE ROLE a▸, b;", "Encountered ',', was expecting ';'"),
        ("DEFINE SCHEMA CREATE ROLE test ▸role;", "Encountered 'role', was expecting ';'"),
        ("DEFINE SCHEMA CREATE ROLE ▸\"_world\";", "The role '_world' is reserved"),
        ("DEFINE SCHEMA CREATE ROLE ▸\"_\";", "The role '_' is reserved"),
        ("DEFINE SCHEMA CREATE ROLE ▸\"\";", "A role's name must not be empty"),
        ("DEFINE SCHEMA CREATE ROLE ▸\"a\tb\";", "A role's name must not contain control characters"),
        ("DEFINE SCHEMA CREATE ROLE a;\nCREATE ROLE ▸a;", "The role 'a' is defined twice"),
        (
            "DEFINE SCHEMA CREATE ROLE ▸\"\(String(repeating: "r", count: 256))\";",
            "A role's name must not exceed 255 bytes"
        ),
        ("DEFINE SCHEMA RECORD▸", "Encountered the end of the text, was expecting TYPE"),
        ("DEFINE SCHEMA RECORD ▸N ();", "Encountered 'N', was expecting TYPE"),
        ("DEFINE SCHEMA RECORD TYPE ▸();", "Encountered '(', was expecting the record type's name"),
        ("DEFINE SCHEMA RECORD TYPE ▸_N ();", "Encountered '_N', was expecting the record type's name"),
        ("DEFINE SCHEMA RECORD TYPE ▸sortable ();", "Encountered 'sortable'"),
        ("DEFINE SCHEMA RECORD TYPE ▸9N ();", "Encountered '9N'"),
        ("DEFINE SCHEMA RECORD TYPE ▸é ();", "Encountered 'é'"),
        ("DEFINE SCHEMA RECORD TYPE cloudkit▸.share ();", "Encountered '.', was expecting '('"),
        ("DEFINE SCHEMA RECORD TYPE N▸;", "Encountered ';', was expecting '('"),
        ("DEFINE SCHEMA RECORD TYPE N ()▸", "Encountered the end of the text, was expecting ';'"),
        ("DEFINE SCHEMA RECORD TYPE N () ▸RECORD TYPE M ();", "Encountered 'RECORD', was expecting ';'"),
        ("DEFINE SCHEMA RECORD TYPE ▸\"\" ();", "A record type must not be empty"),
        ("DEFINE SCHEMA RECORD TYPE ▸\"_N\" ();", "The record type '_N' is reserved"),
        ("DEFINE SCHEMA RECORD TYPE ▸\"a b\" ();", "A record type must be an ASCII letter followed by"),
        ("DEFINE SCHEMA RECORD TYPE ▸\"a.b\" ();", "A record type must be an ASCII letter followed by"),
        ("DEFINE SCHEMA RECORD TYPE ▸\"é\" ();", "A record type must be an ASCII letter followed by"),
        (
            "DEFINE SCHEMA RECORD TYPE ▸\(String(repeating: "N", count: 256)) ();",
            "A record type must not exceed 255 bytes"
        ),
        ("DEFINE SCHEMA RECORD TYPE N ();\nRECORD TYPE ▸N ();", "The record type 'N' is defined twice"),
        ("DEFINE SCHEMA RECORD TYPE N ();\n  RECORD TYPE ▸\"N\" ();", "The record type 'N' is defined twice"),
    ]

    /// Texts between the parentheses of a record type.
    private static let items: [(String, String)] = [
        ("▸", "Encountered the end of the text, was expecting a field's name"),
        ("▸;", "Encountered ';', was expecting a field's name"),
        ("▸,);", "Encountered ',', was expecting a field's name"),
        ("a STRING,▸,);", "Encountered ',', was expecting a field's name"),
        ("▸___recordID REFERENCE QUERYABLE);", "Encountered '___recordID', was expecting a field's name"),
        ("▸queryable STRING);", "Encountered 'queryable'"), ("▸searchable STRING);", "Encountered 'searchable'"),
        ("▸preferred STRING);", "Encountered 'preferred'"), ("▸1 STRING);", "Encountered '1'"),
        ("▸é STRING);", "Encountered 'é'"), ("▸\"a STRING);", "A quoted name is not closed on its line"),
        ("a▸);", "Encountered ')', was expecting a type"), ("a▸, b STRING);", "Encountered ',', was expecting a type"),
        ("\"___recordID\" ▸QUERYABLE);", "Encountered 'QUERYABLE', was expecting a type"),
        ("a ▸TEXT);", "Encountered 'TEXT', was expecting a type"), ("a ▸INT);", "Encountered 'INT'"),
        ("a ▸ASSETID);", "Encountered 'ASSETID'"), ("a ▸\"STRING\");", "Encountered 'STRING', was expecting a type"),
        ("a STRING ▸STRING);", "Encountered 'STRING', was expecting ',' or ')'"),
        ("a STRING ▸INDEXED);", "Encountered 'INDEXED', was expecting ',' or ')'"),
        ("a STRING▸;", "Encountered ';', was expecting ',' or ')'"),
        ("a STRING▸", "Encountered the end of the text, was expecting ',' or ')'"),
        ("a STRING\n▸b STRING);", "Encountered 'b', was expecting ',' or ')'"),
        ("a LIST▸);", "Encountered ')', was expecting '<'"),
        ("a LIST ▸STRING);", "Encountered 'STRING', was expecting '<'"),
        ("a LIST<▸>);", "Encountered '>', was expecting a type"), ("a LIST<▸LIST<STRING>>);", "Encountered 'LIST'"),
        ("a LIST<STRING▸);", "Encountered ')', was expecting '>'"), ("a LIST<▸NUMBER>);", "Encountered 'NUMBER'"),
        ("a LIST<ENCRYPTED ▸ASSET>);", "Encountered 'ASSET', was expecting a type that can be encrypted"),
        ("a ENCRYPTED▸);", "Encountered ')', was expecting a type that can be encrypted"),
        ("a ENCRYPTED ▸REFERENCE);", "Encountered 'REFERENCE', was expecting a type that can be encrypted"),
        ("a ENCRYPTED ▸NUMBER);", "Encountered 'NUMBER', was expecting a type that can be encrypted"),
        ("a ENCRYPTED ▸ENCRYPTED STRING);", "Encountered 'ENCRYPTED'"),
        ("a ENCRYPTED LIST<▸ENCRYPTED STRING>);", "Encountered 'ENCRYPTED'"),
        ("a NUMBER ▸AS INT64);", "Encountered 'AS', was expecting ',' or ')'"),
        ("a NUMBER PREFERRED ▸INT64);", "Encountered 'INT64', was expecting AS"),
        ("a NUMBER PREFERRED AS ▸STRING);", "Encountered 'STRING', was expecting INT64 or DOUBLE"),
        ("a INT64 ▸PREFERRED AS INT64);", "Encountered 'PREFERRED', was expecting ',' or ')'"),
        ("GRANT ▸TO \"_world\");", "Encountered 'TO', was expecting READ, CREATE or WRITE"),
        ("GRANTS ▸READ TO \"_world\");", "Encountered 'READ', was expecting a type"),
        ("GRANT ▸DELETE TO \"_world\");", "Encountered 'DELETE', was expecting READ, CREATE or WRITE"),
        ("GRANT READ, ▸TO \"_world\");", "Encountered 'TO', was expecting READ, CREATE or WRITE"),
        ("GRANT READ ▸WRITE TO \"_world\");", "Encountered 'WRITE', was expecting TO"),
        ("GRANT READ▸);", "Encountered ')', was expecting TO"),
        ("GRANT READ TO ▸_world);", "Encountered '_world', was expecting a role's name"),
        ("GRANT READ TO▸);", "Encountered ')', was expecting a role's name"),
        ("GRANT READ TO \"_world\" ▸a STRING);", "Encountered 'a', was expecting ',' or ')'"),
        ("▸\"\" STRING);", "A field name must not be empty"), ("▸\"a b\" STRING);", "A field name must be"),
        ("▸\"_a\" STRING);", "The field name '_a' is reserved"),
        ("▸\"___x\" STRING);", "The field name '___x' is reserved"),
        ("▸recordID STRING);", "The field name 'recordID' is reserved for the system"),
        ("▸parent REFERENCE);", "The field name 'parent' is reserved for the system"),
        ("▸\"cloudkit.title\" STRING);", "A field name must be"),
        ("▸\(String(repeating: "f", count: 256)) STRING);", "A field name must not exceed 255 bytes"),
        ("a STRING,\n▸a STRING);", "The field 'a' is defined twice"),
        ("a STRING, GRANT READ TO \"_world\", ▸\"a\" INT64);", "The field 'a' is defined twice"),
        (
            "\"___etag\" STRING, ▸\"___etag\" STRING);", "The field '___etag' is defined twice"
        ),
        ("\"___recordID\" ▸STRING);", "The type of the system field '___recordID' is REFERENCE"),
        ("\"___modTime\" ▸LIST<TIMESTAMP>);", "The type of the system field '___modTime' is TIMESTAMP"),
        ("a STRING QUERYABLE ▸QUERYABLE);", "The field 'a' is declared QUERYABLE twice"),
        ("a BYTES ▸SORTABLE);", "The field 'a' of type BYTES cannot be SORTABLE"),
        ("a BYTES QUERYABLE ▸SEARCHABLE);", "The field 'a' of type BYTES cannot be SEARCHABLE"),
        ("a ENCRYPTED BYTES ▸QUERYABLE);", "The field 'a' of type ENCRYPTED BYTES cannot be QUERYABLE"),
        ("a ASSET ▸SORTABLE);", "The field 'a' of type ASSET cannot be SORTABLE"),
        ("a INT64 QUERYABLE ▸SEARCHABLE);", "The field 'a' of type INT64 cannot be SEARCHABLE"),
        ("a LIST<STRING> ▸SORTABLE);", "The field 'a' of type LIST<STRING> cannot be SORTABLE"),
        ("a LIST<ASSET> ▸QUERYABLE);", "The field 'a' of type LIST<ASSET> cannot be QUERYABLE"),
        ("a LOCATION ▸SEARCHABLE);", "The field 'a' of type LOCATION cannot be SEARCHABLE"),
        ("a ENCRYPTED STRING ▸QUERYABLE);", "The field 'a' of type ENCRYPTED STRING cannot be QUERYABLE"),
        ("a LIST<ENCRYPTED INT64> ▸QUERYABLE);", "of type LIST<ENCRYPTED INT64> cannot be QUERYABLE"),
        ("\"___createTime\" TIMESTAMP ▸SEARCHABLE);", "'___createTime' of type TIMESTAMP cannot be SEARCHABLE"),
        ("GRANT READ TO ▸editors);", "The role 'editors' does not exist"),
        ("GRANT READ TO ▸\"_everybody\");", "The role '_everybody' does not exist"),
        ("GRANT READ, ▸READ TO \"_world\");", "READ is granted to '_world' twice"),
        ("GRANT READ TO \"_world\",\nGRANT CREATE, ▸READ TO \"_world\");", "READ is granted to '_world' twice"),
    ]

    static let all = texts + items.map { ("DEFINE SCHEMA\n\n\tRECORD TYPE N (\($0.0)", $0.1) }

    @Test func thereAreAHundredOfThem() { #expect(Self.all.count >= 100) }

    @Test(arguments: all) func aMalformedTextIsRefusedAtItsLineAndColumn(marked: String, message: String) throws {
        let parts = marked.split(separator: "▸", maxSplits: 1, omittingEmptySubsequences: false)
        let before = try #require(parts.first)
        let lines = before.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" || $0 == "\r" }
        let error = try #require(
            #expect(throws: SchemaError.self) { try SchemaDefinition(parsing: parts.joined()) })
        #expect(error.line == lines.count)
        #expect(error.column == (lines.last?.count ?? 0) + 1)
        #expect(error.message.hasPrefix("Schema validation failed: "))
        #expect(error.message.contains(message), "\(error.message)")
    }
}

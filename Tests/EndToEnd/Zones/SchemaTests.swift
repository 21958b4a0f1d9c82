import AMQPClient
import CloudKitSchema
import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Points 13 and 14 of appendix A, with two instances that answer in turn. Each test has its own container.
    @Suite(SharedStack(services: [.record, .record]), .timeLimit(.minutes(2))) struct SchemaTests {
        private static let granted = #"GRANT WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO "_world""#

        @Test func a13_typesAreAddedInDevelopmentOnlyAndWithoutGrantsThePublicDatabaseIsClosed() async throws {
            let development = try await Self.client()
            let production = development.with(Header.environment, "production")
            try await Self.save(development, "Note", "a", ["title": "x"])
            let exported = try await Self.export(development)
            #expect(exported.contains(#"GRANT WRITE TO "_creator""#))
            let learnt = try SchemaDefinition(parsing: exported).recordTypes
            #expect(learnt.map(\.grants) == [GrantDefinition.ofInferredTypes])
            #expect(
                learnt.first?.fields.first { $0.name == "title" }?.indexes == [.queryable, .searchable, .sortable])

            let type = try await Self.modify(production, "create", "Note", "a", ["title": "x"])
            #expect(type["reason"] == "Cannot create new type Note in production schema")
            let conflict = try await Self.modify(development, "update", "Note", "a", ["title": 5])
            #expect(
                conflict["reason"]?.string?.hasSuffix("for field 'title' for type 'Note', defined to be: STRING")
                    == true, "\(conflict)")
            #expect(try await Self.operate(development, .schemaDeploy)["changes"]?.array?.isEmpty == false)
            for number in 0..<6 {
                try await Self.save(production, "Note", "r\(number)", ["title": "x"])
                let field = try await Self.modify(production, "update", "Note", "r\(number)", ["more": 1])
                #expect(
                    field["reason"] == "Cannot create or modify field 'more' in record 'Note' in production schema")
            }

            let ungranted = "DEFINE SCHEMA RECORD TYPE Note (title STRING);"
            let imported = try await Self.operate(development, .schemaImport, ["schema": .string(ungranted)])
            #expect(imported["changes"]?.array?.contains { $0["change"] == "grantRemoved" } == true, "\(imported)")
            for (kind, word) in [("create", "CREATE"), ("update", "WRITE")] {
                let refused = try await Self.modify(development, kind, "Note", kind == "create" ? "b" : "a", [:])
                #expect(refused.errorCode == "ACCESS_DENIED")
                #expect(refused["reason"]?.string?.hasPrefix("\(word) operation not permitted") == true)
            }
            let read = try await development.ask(.recordsLookup, ["records": [["recordName": "a"]]])
            #expect(read["records"]?[0]?["ckErrorCode"] == 10)
            try await Self.save(development.with(Header.database, "private"), "Note", "mine", ["title": "y"])
        }

        @Test func aLargeSchemaComesBackWordForWord() async throws {
            let client = try await Self.client()
            let kinds = ["STRING QUERYABLE SEARCHABLE", "INT64 QUERYABLE SORTABLE", "LIST<DOUBLE>", "ENCRYPTED BYTES"]
            let types = (0..<40).map { type in
                let fields = (0..<10).map { "f\($0) \(kinds[($0 + type) % kinds.count])" }
                return "RECORD TYPE Type\(type) (\(fields.joined(separator: ", ")), \(Self.granted));"
            }
            let text = try SchemaDefinition(parsing: "DEFINE SCHEMA \(types.joined(separator: " "))").formatted()
            _ = try await Self.operate(client, .schemaImport, ["schema": .string(text)])
            #expect(try await Self.export(client) == text)
            let again = try await Self.operate(client, .schemaImport, ["schema": .string(text)])
            #expect(again["changes"]?.array?.isEmpty == true)
        }

        @Test func appendixA14ExportEqualsImportAndALineLeftOutDropsItsIndex() async throws {
            let client = try await Self.client()
            let text = """
                -- The text has the free form that people write.
                define schema
                    CREATE ROLE editor;
                    RECORD TYPE Note (n INT64 QUERYABLE, "___createTime" TIMESTAMP SORTABLE,
                        \(Self.granted), title STRING QUERYABLE SEARCHABLE /* words */, );
                """
            _ = try await Self.operate(client, .schemaImport, ["schema": .string(text)])
            let exported = try await Self.export(client)
            #expect(try SchemaDefinition(parsing: exported) == SchemaDefinition(parsing: text))
            let again = try await Self.operate(client, .schemaImport, ["schema": .string(exported)])
            #expect(again["changes"] == [])
            _ = try await Self.operate(client, .schemaDeploy)
            try await eventually("the indexes are built") {
                try await Self.states(client) == ["___createTime": "ready", "n": "ready", "title": "ready"]
                    ? true : nil
            }
            let without = text.replacing(#""___createTime" TIMESTAMP SORTABLE,"#, with: "")
            let imported = try await Self.operate(client, .schemaImport, ["schema": .string(without)])
            #expect(imported["changes"]?.array?.compactMap { $0["change"] } == ["indexRemoved"])
            _ = try await Self.operate(client, .schemaDeploy)
            #expect(try await Self.states(client) == ["n": "ready", "title": "ready"])
        }

        @Test func bytesDeclaredQueryableAreAcceptedWithAWarningAndHaveNoIndex() async throws {
            let client = try await Self.client()
            let text = "DEFINE SCHEMA RECORD TYPE Note (data BYTES QUERYABLE, n INT64 QUERYABLE, \(Self.granted));"
            let schema: [String: JSONValue] = ["schema": .string(text)]
            for operation in [ServiceMessages.Operation.schemaValidate, .schemaImport, .schemaDeploy] {
                let answer = try await Self.operate(client, operation, operation == .schemaDeploy ? [:] : schema)
                let warnings = answer["warnings"]?.array?.compactMap(\.string) ?? []
                #expect(warnings.count == 1, "\(operation): \(answer)")
                #expect(warnings.first?.contains("'data' of 'Note'") == true)
            }
            try await eventually("the indexes are built") {
                try await Self.states(client) == ["n": "ready"] ? true : nil
            }
            try await Self.save(client, "Note", "a", ["data": "AQID", "n": 1])
            #expect(try await Self.export(client).contains(/data +BYTES QUERYABLE/))
            try await Self.expectWarningsOfTheCommandLine(about: text, client)
        }

        /// Expects that `zonda schema …` reports the warning on standard error, and as JSON in the result.
        private static func expectWarningsOfTheCommandLine(about text: String, _ client: TestClient) async throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).ckdb")
            defer { try? FileManager.default.removeItem(at: file) }
            try text.write(to: file, atomically: true, encoding: .utf8)
            for arguments in [
                ["validate", file.path], ["import", file.path], ["diff", "production", file.path], ["deploy", "--yes"],
            ] {
                let process = try SharedStack.current.zonda(["schema"] + arguments, as: client)
                #expect(try await process.exit(within: .seconds(30)) == .code(0), "\(process.errorText)")
                #expect(process.errorText.contains("warning: No index is kept for the field 'data'"), "\(arguments)")
                let json = try await SharedStack.current.output(of: ["schema"] + arguments + ["--json"], as: client)
                let answer = try JSONValue(parsing: Array(json.utf8))
                #expect(answer["warnings"]?.array?.count == 1, "\(arguments): \(json)")
            }
        }

        @Test func resettingDevelopmentIsSeenByEveryInstance() async throws {
            let client = try await Self.client()
            let user = client.with(Header.database, "private")
            for round in 0..<3 {
                try await user.zones("create", "Notes")
                for number in 0..<6 { try await user.save("Notes", "r\(number)", ["n\(round)": 1]) }
                let feed = try await user.changes("Notes")
                _ = try await Self.operate(client, .schemaReset)
                for _ in 0..<4 {
                    #expect(try await user.ask(.zonesList)["zones"]?.array?.count == 1)
                    let gone = try await user.ask(
                        .recordsLookup, ["zoneID": .zone("Notes"), "records": [["recordName": "r1"]]])
                    #expect(gone.body.errorCode == "ZONE_NOT_FOUND")
                }
                let exported = try await Self.export(client)
                #expect(try SchemaDefinition(parsing: exported).recordTypes == [])
                try await user.zones("create", "Notes")
                #expect(try await user.changes("Notes", since: feed.syncToken).reasonCode == "change_token_expired")
            }
        }

        /// Returns a client of the public database of a new container.
        private static func client() async throws -> TestClient {
            let client = try SharedStack.current.client().with(Header.database, "public")
            let own = client.with(Header.container, .string("com.example.schema.\(client.user.dropFirst())"))
            _ = try await own.ask(.containersCreate, ["container": .string(own.container)])
            return own
        }

        private static func operate(
            _ client: TestClient, _ operation: ServiceMessages.Operation, _ body: [String: JSONValue] = [:]
        ) async throws -> JSONValue {
            let members = body.map { JSONValue.Member($0.key, $0.value) }
            return try await client.ask(operation, .object([.init("container", .string(client.container))] + members))
                .body
        }

        private static func export(_ client: TestClient) async throws -> String {
            try #require(
                try await operate(client, .schemaExport, ["environment": "development"])["schema"]?.string)
        }

        /// Returns the states of production's indexes by field.
        private static func states(_ client: TestClient) async throws -> [String: String] {
            let status = try await operate(client, .schemaStatus, ["environment": "production"])
            let indexes = try #require(status["indexes"]?.array, "\(status)")
            return Dictionary(
                indexes.filter { $0["kind"] != "SEARCHABLE" }
                    .map { ($0["field"]?.string ?? "", $0["state"]?.string ?? "") }, uniquingKeysWith: { $1 })
        }

        /// Executes an operation on a record of the default zone, and returns its item of the answer.
        private static func modify(
            _ client: TestClient, _ kind: String, _ type: String, _ name: String, _ fields: [String: JSONValue]
        ) async throws -> JSONValue {
            let values = fields.map { JSONValue.Member($0.key, ["value": $0.value]) }
            let record: JSONValue = [
                "recordName": .string(name), "recordType": .string(type), "fields": .object(values),
            ]
            let reply = try await client.ask(
                .recordsModify, ["operations": [["operationType": .string(kind), "record": record]]])
            return try #require(reply["records"]?[0], "\(reply.body)")
        }

        private static func save(
            _ client: TestClient, _ type: String, _ name: String, _ fields: [String: JSONValue]
        ) async throws {
            let saved = try await modify(client, "forceReplace", type, name, fields)
            try #require(saved.errorCode == nil, "\(saved)")
        }
    }
}

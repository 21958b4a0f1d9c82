import ArgumentParser
import CloudKitModel
import CloudKitSchema
import CloudKitWire
import Foundation
import OperatorMessages
import ServiceMessages
import Testing

@testable import CommandLine
@testable import CommandLineSession

@Suite struct SchemaCommandTests {
    private static let change: JSONValue = [
        "change": "typeAdded", "recordType": "Note", "text": "+ RECORD TYPE Note",
    ]

    /// Passes to `body` the path of a file with `text`, which exists while `body` runs.
    private func withFile(_ text: String, _ body: (String) async throws -> Void) async throws {
        let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString).ckdb"
        try Data(text.utf8).write(to: URL(filePath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        try await body(path)
    }

    @Test func aFaultIsReportedWithFileLineAndColumnAlsoAtAnEndWithoutANewline() async throws {
        for (text, place) in [("DEFINE SCHEMA\n  TABLE", "2:3"), ("DEFINE SCHEMA\nRECORD", "2:7"), ("", "1:1")] {
            try await withFile(
                text,
                { path in
                    let file = try await SchemaFile(path: path)
                    #expect(file.text == text)
                    let fault = #expect(throws: SchemaFault.self) { try file.definition() }
                    #expect(fault?.description.hasPrefix("\(path):\(place): Schema validation failed: ") == true)
                    #expect(fault?.json["line"]?.int == Int64(place.prefix(1)))
                })
        }
    }

    @Test func aMissingFileIsNoFaultOfASchema() async {
        await #expect(throws: RequestFailure.self) { try await SchemaFile(path: "/nowhere/at/all") }
    }

    @Test func environmentsAndFilesAreCompared() async throws {
        let production: JSONValue = ["schema": "DEFINE SCHEMA RECORD TYPE Note (a STRING);", "version": 3]
        let service = FakeSchemaService([.schemaExport: production])
        #expect(SchemaSource(argument: "production") == .environment(.production))
        try await withFile("DEFINE SCHEMA\n\nRECORD TYPE Note (a STRING QUERYABLE, b INT64);\n") { path in
            let old = try await SchemaSource(argument: "production").definition(service, container: "c")
            let new = try await SchemaSource(argument: path).definition(nil, container: "")
            let comparison = SchemaComparison(from: old, to: new)
            #expect(SchemaReport.lines(comparison.changes) == ["+ index QUERYABLE on Note.a", "+ Note.b INT64"])
            #expect(
                JSONValue(encoding: comparison)["changes"]?[1]
                    == ["change": "fieldAdded", "recordType": "Note", "field": "b", "text": "+ Note.b INT64"])
            #expect(SchemaReport.lines(SchemaComparison(from: old, to: old).changes) == ["no differences"])
        }
        #expect(await service.requests == [#"schema.export {"container":"c","environment":"production"}"#])
    }

    @Test func aDeploymentShowsThePlanAsksAndContinuesOnlyWithAYes() async throws {
        struct No: Error {}
        let answers: [ServiceMessages.Operation: JSONValue] = [
            .schemaDeploy: ["version": 4, "changes": [Self.change], "warnings": []]
        ]
        let plan = #"schema.deploy {"container":"c","dryRun":true}"#
        let deed = #"schema.deploy {"container":"c","dryRun":false}"#
        for (arguments, isConfirmed, expected) in [
            ([], true, [plan, deed]), ([], false, [plan]), (["--yes"], false, [plan, deed]),
            (["--dry-run"], true, [plan]), (["--yes", "--json"], false, [plan, deed]),
        ] {
            let service = FakeSchemaService(answers)
            let command = try SchemaDeploy.parse(arguments)
            try? await command.deploy("c", service) { if !isConfirmed { throw No() } }
            #expect(await service.requests == expected, "\(arguments)")
        }
    }

    @Test func nothingToDeployNeedsNoYes() async throws {
        let service = FakeSchemaService([.schemaDeploy: ["version": 4, "changes": [], "warnings": []]])
        try await SchemaDeploy.parse([]).deploy("c", service) { Issue.record("asked") }
        #expect(await service.requests.count == 1)
    }

    @Test func requestsAreThoseThatTheServiceDocuments() async throws {
        let changed: JSONValue = ["version": 1, "changes": [], "warnings": []]
        let service = FakeSchemaService([
            .schemaImport: changed, .schemaReset: changed,
            .schemaStatus: ["version": 1, "recordTypes": 0, "fields": 0, "indexes": [], "warnings": []],
            .rolesList: ["roles": []], .rolesAssign: ["role": "editors", "users": []],
        ])
        _ = try await service.ask(SchemaImportRequest(container: "c", schema: "DEFINE SCHEMA"))
        _ = try await service.ask(SchemaResetRequest(container: "c"))
        _ = try await service.ask(SchemaStatusRequest(container: "c", environment: .production))
        _ = try await service.ask(RolesListRequest(container: "c", environment: .development))
        _ = try await service.ask(
            RolesAssignRequest(
                container: "c", environment: .production, role: "editors", users: ["_a", "_b"], assigned: false))
        #expect(
            await service.requests == [
                #"schema.import {"container":"c","schema":"DEFINE SCHEMA"}"#, #"schema.reset {"container":"c"}"#,
                #"schema.status {"container":"c","environment":"production"}"#,
                #"roles.list {"container":"c","environment":"development"}"#,
                #"roles.assign {"container":"c","environment":"production","role":"editors","users":["_a","_b"],"assigned":false}"#,
            ])
    }

    @Test func indexesAreATable() {
        let indexes = [
            SchemaStatusRequest.Index(
                recordType: "Note", field: "title", kind: "QUERYABLE", method: "ordered", name: "1", state: "ready",
                progress: 1, bytes: 81_920, scans: 12, lastError: nil),
            SchemaStatusRequest.Index(
                recordType: "Note", field: "at", kind: "SORTABLE", method: "ordered", name: "2", state: "building",
                progress: 0.25, bytes: 0, scans: 0, lastError: "out of space"),
        ]
        #expect(
            SchemaReport.indexes(indexes) == [
                "TYPE  FIELD  KIND       STATE     PROGRESS  BYTES   USES",
                "Note  title  QUERYABLE  ready     100 %     81,920  12",
                "Note  at     SORTABLE   building  25 %      0       0     out of space",
            ])
        #expect(SchemaReport.role(RoleMembership(role: "editors", users: ["_a", "_b"])) == "editors  _a  _b")
    }
}

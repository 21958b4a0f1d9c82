import CloudKitModel
import CloudKitSchema
import CloudKitWire
import OperatorMessages
import ServiceMessages
import Testing

/// The bodies of the record service's operations. The texts are the bodies that travel: the members, their order, and
/// those that are omitted.
@Suite struct RecordServiceMessagesTests {
    @Test func requestsForContainersNameThem() throws {
        try expectBody(ContainersCreateRequest(container: "c"), #"{"container":"c"}"#)
        try expectBody(ContainersDeleteRequest(container: "c"), #"{"container":"c"}"#)
        try expectBody(ContainersListRequest(), "{}")
        #expect(error(ContainersCreateRequest.self, #"{"container":1}"#) == .missingKey("container"))
    }

    @Test func onlyANewContainerHasTheMemberCreated() throws {
        try expectBody(
            ContainerDescription(container: "c", created: false),
            #"{"container":"c","environments":["development","production"],"created":false}"#)
        try expectBody(
            ContainersListRequest.Answer(containers: [ContainerDescription(container: "c")]),
            #"{"containers":[{"container":"c","environments":["development","production"]}]}"#)
        try expectBody(ContainersDeleteRequest.Answer(container: "c"), #"{"container":"c","deleted":true}"#)
    }

    private let purge =
        #"{"container":"c","environment":"development","database":"private","owner":"_o","reason":"purged""#

    @Test func aPurgeNamesItsZonesOrAll() throws {
        try expectBody(
            ZonesPurgeRequest(
                container: "c", environment: .development, owner: "_o", reason: .purged, zones: ["a", "b"]),
            purge + #","zones":["a","b"]}"#)
        try expectBody(
            ZonesPurgeRequest(container: "c", environment: .development, owner: "_o", reason: .purged, zones: nil),
            purge + #","all":true}"#)
    }

    @Test(arguments: [
        "", #","all":false"#, #","all":true,"zones":null"#, #","all":true,"zones":"a""#, #","all":1"#,
    ]) func anInvalidListOfZonesIsNotAllZones(rest: String) {
        #expect(error(ZonesPurgeRequest.self, purge + rest + "}") == .missingKey("zones"))
    }

    @Test func anAnswerToAPurgeHasItemsLikeThoseOfClients() throws {
        try expectBody(
            ZonesPurgeRequest.Answer.self,
            #"{"zones":[{"zoneID":{"zoneName":"a"},"deleted":true,"deletionReason":"purged"}],"moreComing":false}"#)
    }

    @Test func referencesToAContentArePlaces() throws {
        try expectBody(
            AssetReferencesRequest(container: "c", blob: 7, limit: nil), #"{"container":"c","blob":7}"#)
        try expectBody(
            AssetReferencesRequest.Answer(
                references: [
                    AssetReference(
                        environment: "production", database: nil, owner: "_o", zone: "z", recordName: "r",
                        fieldName: "f", position: 0)
                ], moreComing: true),
            #"{"references":[{"environment":"production","owner":"_o","zone":"z","recordName":"r","fieldName":"f","position":0}],"moreComing":true}"#
        )
        #expect(error(AssetReferencesRequest.self, #"{"container":"c","blob":"7"}"#) == .missingKey("blob"))
    }

    @Test func requestsForAnEnvironmentNameIt() throws {
        let body = #"{"container":"c","environment":"production"}"#
        try expectBody(SchemaExportRequest(container: "c", environment: .production), body)
        try expectBody(SchemaStatusRequest(container: "c", environment: .production), body)
        try expectBody(RolesListRequest(container: "c", environment: .production), body)
        #expect(error(SchemaExportRequest.self, #"{"container":"c","environment":2}"#) == .missingKey("environment"))
        #expect(
            error(RolesListRequest.self, #"{"container":"c","environment":"test"}"#)
                == ServerError(
                    .environmentInvalid, "Unknown environment 'test'; use 'development' or 'production'",
                    field: "environment"))
    }

    @Test func requestsForTextsContainThem() throws {
        let body = #"{"container":"c","schema":"DEFINE SCHEMA\n"}"#
        try expectBody(SchemaImportRequest(container: "c", schema: "DEFINE SCHEMA\n"), body)
        try expectBody(SchemaValidateRequest(container: "c", schema: "DEFINE SCHEMA\n"), body)
        try expectBody(
            SchemaExportRequest.Answer(schema: "DEFINE SCHEMA\n", version: 3),
            #"{"schema":"DEFINE SCHEMA\n","version":3}"#)
        #expect(error(SchemaImportRequest.self, #"{"container":"c"}"#) == .missingKey("schema"))
    }

    @Test func changesOfASchemaAreDescribed() throws {
        try expectBody(SchemaDeployRequest(container: "c", dryRun: false), #"{"container":"c","dryRun":false}"#)
        try expectBody(SchemaResetRequest(container: "c"), #"{"container":"c"}"#)
        let old = try SchemaDefinition(parsing: "DEFINE SCHEMA")
        let new = try SchemaDefinition(parsing: "DEFINE SCHEMA CREATE ROLE editors; RECORD TYPE Note (a STRING);")
        let changes = SchemaDiff(from: old, to: new).changes
        let described =
            #"[{"change":"roleAdded","role":"editors","text":"+ ROLE editors"},{"change":"typeAdded","recordType":"Note","text":"+ RECORD TYPE Note"},{"change":"fieldAdded","recordType":"Note","field":"a","text":"+ Note.a STRING"}]"#
        try expectBody(
            SchemaChangeAnswer(version: 2, changes: changes, warnings: ["w"]),
            #"{"version":2,"changes":\#(described),"warnings":["w"]}"#)
        try expectBody(
            SchemaValidateRequest.Answer(changes: changes, warnings: []),
            #"{"isValid":true,"changes":\#(described),"warnings":[]}"#)
    }

    @Test func anInvalidTextIsDescribedByItsErrorAndItsPosition() throws {
        var fault = ServerError(.schemaInvalid, "wrong", field: "schema")
        (fault.line, fault.column) = (2, 3)
        try expectBody(
            SchemaValidateRequest.Answer(fault),
            #"{"isValid":false,"errorMessage":"wrong","line":2,"column":3,"changes":[],"warnings":[]}"#)
    }

    @Test func theProgressOfAnIndexIsANumberWithAFraction() throws {
        try expectBody(
            SchemaStatusRequest.Answer(
                version: 1, recordTypes: 1, fields: 2,
                indexes: [
                    SchemaStatusRequest.Index(
                        recordType: "Note", field: "a", kind: "QUERYABLE", method: "ordered", name: "n", state: "ready",
                        progress: 1, bytes: 8192, scans: 0, lastError: nil)
                ], warnings: []),
            #"{"version":1,"recordTypes":1,"fields":2,"indexes":[{"recordType":"Note","field":"a","kind":"QUERYABLE","method":"ordered","name":"n","state":"ready","progress":1.0,"bytes":8192,"scans":0}],"warnings":[]}"#
        )
    }

    @Test func rolesHaveUsers() throws {
        try expectBody(
            RolesAssignRequest(container: "c", environment: .development, role: "r", users: ["_a"], assigned: true),
            #"{"container":"c","environment":"development","role":"r","users":["_a"],"assigned":true}"#)
        try expectBody(
            RolesListRequest.Answer(roles: [RoleMembership(role: "r", users: ["_a", "_b"])]),
            #"{"roles":[{"role":"r","users":["_a","_b"]}]}"#)
        let place = #"{"container":"c","environment":"development""#
        #expect(error(RolesAssignRequest.self, place + "}") == .missingKey("role"))
        #expect(error(RolesAssignRequest.self, place + #","role":"r","users":"_a"}"#) == .missingKey("users"))
        #expect(
            error(RolesAssignRequest.self, place + #","role":"r","users":[1]}"#)
                == .wrongKind("users", expected: "a list of strings"))
        #expect(
            error(RolesAssignRequest.self, place + #","role":"r","users":[],"assigned":1}"#) == .missingKey("assigned"))
    }
}

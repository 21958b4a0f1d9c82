import CloudKitModel
import CloudKitSchema
import CloudKitWire
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Semantics 12 and 1.4 with a real database. Grants are checked before every create, change and read.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct PublicDatabaseTests {
    private static let other = "_" + String(repeating: "b", count: 32)

    private static func clients(_ database: RecordDatabase) -> (
        owner: RecordClient, other: RecordClient, nobody: RecordClient
    ) {
        let owner = RecordClient(database: database, scope: "public")
        return (owner, owner.with { $0.user = other }, owner.with { $0.user = nil })
    }

    @Test func recordsAreReadByAllAndChangedByTheirCreatorOnly() async throws {
        try await RecordDatabase.with { database in
            let (owner, other, nobody) = Self.clients(database)
            #expect(try await nobody.modify("create", "Note", "z")["serverErrorCode"] == "AUTHENTICATION_REQUIRED")
            #expect(try await owner.modify("create", "Note", "a", ["n": 1])["serverErrorCode"] == nil)
            #expect(try await other.look("a").value("n") == 1)
            #expect(try await nobody.look("a").value("n") == 1)
            for kind in ["update", "forceUpdate", "replace", "forceReplace", "delete", "forceDelete"] {
                let refused = try await other.modify(kind, "Note", "a", ["n": 2])
                #expect(refused["serverErrorCode"] == "ACCESS_DENIED")
                #expect(refused["ckErrorCode"] == 10)
                #expect(refused["reason"]?.string?.hasPrefix("WRITE operation not permitted") == true)
                #expect(try await nobody.modify(kind, "Note", "a")["serverErrorCode"] == "AUTHENTICATION_REQUIRED")
            }
            #expect(try await owner.modify("update", "Note", "a", ["n": 2]).value("n") == 2)
            #expect(try await owner.modify("delete", "Note", "a")["deleted"] == true)
        }
    }

    @Test func aTypeWithoutGrantsCannotBeUsedInThePublicDatabaseAndCanInPrivateOnes() async throws {
        try await RecordDatabase.with { database in
            let (owner, _, _) = Self.clients(database)
            _ = try await owner.modify("create", "Note", "a", ["n": "x"])
            try await owner.replaceSchema(
                with: SchemaDefinition(recordTypes: [
                    RecordTypeDefinition(name: "Note", fields: [FieldDefinition(name: "n", type: .string)])
                ]))
            let created = try await owner.modify("create", "Note", "b")
            #expect(created["reason"] == "CREATE operation not permitted on record type 'Note'")
            #expect(try await owner.modify("update", "Note", "a")["serverErrorCode"] == "ACCESS_DENIED")
            let read = try await owner.look("a")
            #expect(read["reason"] == "READ operation not permitted on record type 'Note'")
            #expect(try await owner.feed() == [])
            let mine = try await owner.with { $0.scope = "private" }.modify("create", "Note", "c", ["n": "y"])
            #expect(mine.value("n") == "y")
        }
    }

    @Test func aConflictTellsNothingThatMayNotBeRead() async throws {
        try await RecordDatabase.with { database in
            let (owner, other, _) = Self.clients(database)
            try await owner.replaceSchema(
                with: SchemaDefinition(recordTypes: [
                    RecordTypeDefinition(
                        name: "Note", fields: [FieldDefinition(name: "n", type: .string)],
                        grants: [
                            GrantDefinition(role: "_icloud", permissions: .create),
                            GrantDefinition(role: "_creator", permissions: [.read, .write]),
                        ])
                ]))
            _ = try await owner.modify("create", "Note", "a", ["n": "secret"])
            let conflict = try await other.modify("create", "Note", "a", ["n": "guess"])
            #expect(conflict["serverErrorCode"] == "CONFLICT")
            #expect(conflict["serverRecord"] == nil)
            #expect(try await owner.modify("create", "Note", "a")["serverRecord"] != nil)
            #expect(try await owner.feed() == ["a"])
            #expect(try await other.feed() == [])
        }
    }

    @Test func aChangeByWhoMayWriteAndNotReadIsAnsweredWithoutTheRecord() async throws {
        try await RecordDatabase.with { database in
            let (owner, other, _) = Self.clients(database)
            try await owner.replaceSchema(
                with: SchemaDefinition(recordTypes: [
                    RecordTypeDefinition(
                        name: "Note",
                        fields: [
                            FieldDefinition(name: "n", type: .string), FieldDefinition(name: "m", type: .string),
                        ],
                        grants: [
                            GrantDefinition(role: "_icloud", permissions: [.create, .write]),
                            GrantDefinition(role: "_creator", permissions: [.read, .write]),
                        ])
                ]))
            _ = try await owner.modify("create", "Note", "a", ["n": "secret"])
            let changed = try await other.modify("forceUpdate", "Note", "a", ["m": "mine"])
            #expect(changed["serverErrorCode"] == nil)
            #expect(changed.value("n") == nil)
            let conflict = try await other.modify("create", "Note", "a", ["m": "again"])
            #expect(conflict["serverErrorCode"] == "CONFLICT")
            #expect(conflict["serverRecord"] == nil)
            #expect(try await owner.look("a").value("n") == "secret")
            #expect(try await owner.look("a").value("m") == "mine")
        }
    }

    @Test func anEncryptedFieldIsRefusedThereWhetherTheClientSaysSoOrTheSchema() async throws {
        try await RecordDatabase.with { database in
            let (owner, _, _) = Self.clients(database)
            let text = """
                DEFINE SCHEMA
                RECORD TYPE Note (secret ENCRYPTED STRING, GRANT WRITE, CREATE, READ TO "_icloud");
                """
            let imported = try await owner.operate(.schemaImport, ["schema": .string(text)])
            try #require(imported["version"] != nil, "\(imported)")
            let refused = try await owner.modify("create", "Note", "a", ["secret": "x"])
            #expect(refused["serverErrorCode"] != nil)
            #expect(refused["field"] == "secret")
            let mine = try await owner.with { $0.scope = "private" }.modify("create", "Note", "a", ["secret": "x"])
            #expect(mine.value("secret") == "x")
        }
    }

    @Test(arguments: ["public", "private"]) func usersHaveARecordThatOnlyTheyWrite(scope: String) async throws {
        try await RecordDatabase.with { database in
            let owner = RecordClient(database: database, scope: scope)
            let user = RecordDatabase.user
            let unmade = try await owner.look(user)
            #expect(unmade["recordType"] == "Users")
            #expect(unmade["fields"] == [:])
            let saved = try await owner.modify("update", nil, user, ["nickname": "Ada"])
            #expect(saved.value("nickname") == "Ada")
            #expect(saved["recordType"] == "Users")
            #expect(try await owner.look(user).value("nickname") == "Ada")
            let another = try await owner.modify("create", "Users", Self.other)
            #expect(another["serverErrorCode"] == "ACCESS_DENIED")
            if scope == "public" {
                let other = owner.with { $0.user = Self.other }
                #expect(try await other.look(user).value("nickname") == "Ada")
                #expect(try await owner.with { $0.user = nil }.look(user).value("nickname") == "Ada")
                let refused = try await other.modify("update", "Users", user, ["nickname": "Eve"])
                #expect(refused["serverErrorCode"] == "ACCESS_DENIED")
            }
        }
    }
}

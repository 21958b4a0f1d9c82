import ArgumentParser
import CloudKitWire
import Foundation
import ServiceMessages
import Testing

@testable import CommandLine
@testable import CommandLineSession
@testable import FakeServices

@Suite struct AccountCommandTests {
    private func create(_ arguments: String...) throws -> JSONValue {
        try #require(try ZondaCommand.parseAsRoot(["user", "create"] + arguments) as? UserCreate).body()
    }

    @Test func anAccountIsAskedForAsTheOptionsSay() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try Data("correct horse\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        #expect(
            try create(
                "ada@example.org", "--given-name", "Ada", "--family-name", "Doe", "--discoverable", "--container", "c",
                "--user-record-name", "_1", "--password-file", file.path)
                == [
                    "email": "ada@example.org", "givenName": "Ada", "familyName": "Doe", "discoverable": true,
                    "container": "c", "userRecordName": "_1", "password": "correct horse",
                ])
        #expect(try create("ada@example.org", "--container", "c") == ["email": "ada@example.org", "container": "c"])
    }

    @Test func aMissingPasswordIsReported() throws {
        #expect(throws: (any Error).self) { try create("a@b", "--password-file", "/nonexistent") }
        #expect(throws: (any Error).self) { try create("a@b", "--password-file", "/dev/null") }
    }

    @Test func pagesAreAskedForUntilTheEnd() async throws {
        let service = FakeAnswers(["users": [1, 2], "after": "x"], ["users": [3]])
        var items: [JSONValue] = []
        try await service.pages(.usersList, "users", filter: [("container", "c"), ("none", nil)]) { items.append($0) }
        #expect(items == [1, 2, 3])
        #expect(
            await service.requests == [
                #"users.list {"container":"c"}"#, #"users.list {"container":"c","after":"x"}"#,
            ])
    }

    @Test func usersAreLines() {
        let listed: JSONValue = [
            "email": "ada@example.org", "givenName": "Ada", "familyName": "Doe", "created": 1_768_469_400_000,
            "hasPassword": true, "containers": [["container": "c", "userRecordName": "_1"]],
        ]
        #expect(AccountLine.user(listed) == "ada@example.org  Ada Doe  2026-01-15T09:30:00Z  c _1")
        let created: JSONValue = [
            "email": "ada@example.org", "hasPassword": false, "container": "c", "userRecordName": "_1",
        ]
        #expect(AccountLine.user(created) == "ada@example.org  no password  c _1")
    }

    @Test func tokensAndKeysAreLines() {
        #expect(
            AccountLine.token([
                "token": "t", "container": "c", "environment": "development", "name": "web",
                "origins": ["https://a", "https://b"], "revokedAt": 1_768_469_400_000,
            ]) == "t  c  development  web  https://a, https://b  revoked 2026-01-15T09:30:00Z")
        #expect(
            AccountLine.key([
                "keyID": "k", "container": "c", "environment": "production", "name": "importer",
                "userRecordName": "_1",
            ]) == "k  c  production  importer  _1")
    }
}

import ArgumentParser
import CloudKitWire
import Foundation
import OperatorMessages
import ServiceMessages
import Testing

@testable import CommandLine
@testable import CommandLineSession
@testable import FakeServices

@Suite struct AccountCommandTests {
    private func create(_ arguments: String...) throws -> JSONValue {
        JSONValue(
            encoding: try #require(try ZondaCommand.parseAsRoot(["user", "create"] + arguments) as? UserCreate)
                .request())
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
        func key(_ id: String) -> JSONValue {
            JSONValue(
                encoding: ServerKeyStatus(
                    keyID: id, container: "c", environment: "production", name: "n", userRecordName: "_1", created: 1))
        }
        let service = FakeAnswers(
            ["serverKeys": [key("1"), key("2")], "after": "x"], ["serverKeys": [key("3")], "unknown": true])
        var items: [String] = []
        try await service.pages(of: ServerKeyListRequest(container: "c"), \.serverKeys) { items.append($0.keyID) }
        #expect(items == ["1", "2", "3"])
        #expect(
            await service.requests == [
                #"serverKeys.list {"container":"c"}"#, #"serverKeys.list {"container":"c","after":"x"}"#,
            ])
    }

    @Test func anAnswerWithoutARequiredMemberIsNoValidAnswer() async {
        let service = FakeAnswers(["email": "ada@example.org"])
        await #expect(
            throws: RequestFailure.unanswered(
                reason: "the answer to users.delete is invalid: The key 'deleted' is required")
        ) { try await service.ask(UserDeleteRequest(email: "ada@example.org")) }
    }

    @Test func usersAreLines() {
        var user = UserAccount(
            email: "ada@example.org", givenName: "Ada", familyName: "Doe", discoverable: false, hasPassword: true,
            created: 1_768_469_400_000, containers: [.init(container: "c", userRecordName: "_1")])
        #expect(AccountLine.user(user) == "ada@example.org  Ada Doe  2026-01-15T09:30:00Z  c _1")
        user = UserAccount(
            email: "ada@example.org", givenName: nil, familyName: nil, discoverable: true, hasPassword: false,
            created: 1_768_469_400_000, container: "c", userRecordName: "_1")
        #expect(
            AccountLine.user(user) == "ada@example.org  2026-01-15T09:30:00Z  no password  discoverable  c _1")
    }

    @Test func signInsAreLines() {
        let signIn = UserSignIn(
            container: "c", environment: "production", created: 1_768_469_400_000, lastUsed: 1_768_473_000_000,
            address: "192.0.2.7", application: nil, staysSignedIn: false, endsAt: 1_768_512_600_000)
        #expect(
            AccountLine.signIn(signIn) == "2026-01-15T09:30:00Z  last used 2026-01-15T10:30:00Z  c  production"
                + "  192.0.2.7  until 2026-01-15T21:30:00Z")
    }

    @Test func tokensAndKeysAreLines() {
        #expect(
            AccountLine.token(
                APITokenStatus(
                    token: "t", container: "c", environment: "development", name: "web",
                    origins: ["https://a", "https://b"], callbackURL: nil, created: 1, revokedAt: 1_768_469_400_000))
                == "t  c  development  web  https://a, https://b  revoked 2026-01-15T09:30:00Z")
        #expect(
            AccountLine.key(
                ServerKeyStatus(
                    keyID: "k", container: "c", environment: "production", name: "importer", userRecordName: "_1",
                    created: 1)) == "k  c  production  importer  _1")
        #expect(AccountLine.revocation("k", wasActive: false) == "k  was not active")
    }
}

import CloudKitWire
import Crypto
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The commands of operators, whose messages the command line and the services share.
    @Suite(.sharedGateway, .timeLimit(.minutes(3))) struct OperatorCommandTests {
        private let stack: ServiceStack
        private let client: TestClient
        private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

        init() async throws {
            stack = try SharedStack.current
            client = stack.client()
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        }

        private func text(_ arguments: String...) async throws -> String {
            try await stack.output(of: arguments, as: client)
        }

        private func json(_ arguments: String...) async throws -> JSONValue {
            try JSONValue(parsing: try await stack.output(of: arguments + ["--json"], as: client))
        }

        private func file(_ name: String, _ text: String) throws -> String {
            let file = folder.appending(path: name)
            try Data(text.utf8).write(to: file)
            return file.path
        }

        @Test func aStoredContentIsInspected() async throws {
            try await client.zones("create", "Notes")
            let place = ["--zone", "Notes", "--name", "first", "--field", "text"]
            _ = try await stack.output(
                of: ["asset", "put", try file("text", "some bytes"), "--type", "Note"] + place, as: client)
            let status = try JSONValue(
                parsing: try await stack.output(of: ["asset", "stat", "--json"] + place, as: client))
            let checksum = try #require(status["checksum"]?.string)
            #expect(
                status.members?.map(\.key) == [
                    "container", "checksum", "fileChecksum", "blob", "size", "state", "verifiedAt", "createdAt",
                    "receiptUntil", "isStored", "holders",
                ], "\(status)")
            #expect(status["holders"]?[0]?["owner"]?.string == client.user)
            let lines = try await text("asset", "stat", checksum)
            #expect(lines.contains("\nsize          10\n") && lines.contains("\nstate         live\n"), "\(lines)")
            #expect(
                try await stack.output(of: ["asset", "refs"] + place, as: client)
                    == "development/private/\(client.user)/Notes  first  text[0]\n")

            let usage = try await json("asset", "usage", "--user", client.user)
            #expect(usage["databases"]?[0]?["bytes"] == 10, "\(usage)")
            #expect(try await text("asset", "usage").hasPrefix("BYTES"))
            #expect(
                try await text("asset", "quota", "--per-user", "5000", "--per-container", "none")
                    == "\(stack.container)  container none, each user 5,000 bytes\n")
            #expect(
                try await json("asset", "quota", "--per-user", "default")
                    == ["container": .string(stack.container)])
            #expect(try await text("asset", "jobs").hasPrefix("DUE"))
            #expect(try await text("asset", "quarantine", "--limit", "5").hasPrefix("SINCE"))
            #expect(try await json("asset", "reconcile")["usesAreGuarded"] == true)
        }

        @Test func anAccountIsManaged() async throws {
            let email = "\(UUID().uuidString.lowercased())@example.org"
            let password = ["--password-file", try file("password", "correct horse battery\n")]
            let created = try JSONValue(
                parsing: try await stack.output(
                    of: ["user", "create", email, "--given-name", "Ada", "--discoverable", "--json"] + password,
                    as: client))
            let name = try #require(created["userRecordName"]?.string, "\(created)")
            #expect(
                created.members?.map(\.key) == [
                    "email", "givenName", "discoverable", "hasPassword", "created", "container", "userRecordName",
                ])
            let line = try await text("user", "list").split(separator: "\n").first { $0.hasPrefix(email) }
            #expect(line?.hasSuffix("  discoverable  \(stack.container) \(name)") == true, "\(line ?? "")")
            #expect(try await text("user", "token", email).isEmpty == false)
            #expect(try await text("user", "sign-ins", email).contains("  \(stack.container)  development  until "))
            #expect(try await text("user", "sign-out", email) == "\(email)  sessions ended: 1\n")
            #expect(
                try await text("user", "password", email, "--remove")
                    == "\(email)  password removed, sessions ended: 0\n")
            #expect(try await json("user", "delete", email, "--yes") == ["email": .string(email), "deleted": true])
            #expect(try await text("user", "delete", email, "--yes") == "\(email)  did not exist\n")
        }

        @Test func anAPITokenIsCreatedListedAndRevoked() async throws {
            let token = try await text("token", "create", "web", "--origin", "https://example.org")
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let line = "\(token)  \(stack.container)  development  web  https://example.org"
            #expect(try await text("token", "list").contains("\(line)\n"))
            #expect(try await text("token", "revoke", token) == "\(token)  revoked\n")
            #expect(try await text("token", "revoke", token) == "\(token)  was not active\n")
            #expect(try await text("token", "list", "--all").contains("\(line)  revoked "))
        }

        @Test func aServerKeyIsAddedListedAndRevoked() async throws {
            let pem = P256.Signing.PrivateKey().publicKey.pemRepresentation
            let added = try await json("key", "add", try file("key.pem", pem), "--name", "importer")
            let (id, user) = (added["keyID"]?.string ?? "", added["userRecordName"]?.string ?? "")
            #expect(id.count == 64 && added["revokedAt"] == nil, "\(added)")
            #expect(
                try await text("key", "list") == "\(id)  \(stack.container)  development  importer  \(user)\n")
            #expect(try await text("key", "revoke", id) == "\(id)  revoked\n")
            #expect(try await json("key", "revoke", id)["revoked"] == false)
        }
    }
}

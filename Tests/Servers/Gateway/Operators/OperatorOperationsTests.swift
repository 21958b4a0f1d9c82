import AMQPClient
import CloudKitModel
import CloudKitWire
import Crypto
import Foundation
import PostgresClient
import RequestServing
import ServiceMessages
import TestSupport
import Testing

@testable import Gateway
@testable import GatewayStorage

/// Operators' operations with a real database and without a broker.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(5)))
struct OperatorOperationsTests {
    private static let place: [(String, JSONValue)] = [
        ("container", .string(AccountStack.notes.container)), ("environment", "development"),
    ]

    private static func body(_ members: (String, JSONValue)...) -> JSONValue {
        .object((place + members).map { JSONValue.Member($0.0, $0.1) })
    }

    @Test func aRepeatIsExecutedOnceAndGetsTheSameAnswer() async throws {
        try await AccountStack.with { stack in
            let pem = P256.Signing.PrivateKey().publicKey.pemRepresentation
            let bodies: [(ServiceMessages.Operation, JSONValue)] = [
                (.usersCreate, ["email": "ada@example.org", "password": "correct horse"]),
                (.usersToken, Self.body(("email", "ada@example.org"))),
                (.usersPassword, ["email": "ada@example.org", "password": "battery staple"]),
                (.apiTokensCreate, Self.body(("name", "web"), ("callbackURL", "https://example.org/in"))),
                (.serverKeysAdd, Self.body(("name", "importer"), ("publicKey", .string(pem)))),
                (.usersSignOut, ["email": "ada@example.org"]), (.usersDelete, ["email": "ada@example.org"]),
            ]
            for (operation, body) in bodies {
                let first = try await stack.ask(operation, body, messageID: "m-\(operation.rawValue)")
                #expect(first["serverErrorCode"] == nil, "\(first)")
                let repeated = try await stack.ask(operation, body, messageID: "m-\(operation.rawValue)")
                #expect(first == repeated)
            }
            for (table, count) in [("api_token", 1), ("server_key", 1), ("session", 0), ("account", 0)] {
                let rows = try await stack.accounts.rows("select count(*) from account.\(table)", [])
                #expect(rows[0].int64(0) == Int64(count), "\(table)")
            }
            let other = try await stack.ask(.usersCreate, ["email": "eve@example.org"], messageID: "m-users.create")
            #expect(other["reasonCode"] == "message_id_reused")
        }
    }

    @Test func noStoredValueHelpsToGuessAPassword() async throws {
        try await AccountStack.with { stack in
            let body: JSONValue = ["email": "ada@example.org", "password": "correct horse"]
            try await stack.ask(.usersCreate, body)
            let row = try await stack.accounts.rows("select body_hash, outcome from account.request", [])[0]
            let plain = OpenedRequest(
                delivery: AMQPDelivery(queue: "", deliveryTag: 1, properties: AMQPProperties(), body: body.encoded()),
                operation: .usersCreate,
                context: try RequestContext(AMQPProperties(messageID: "m"), operation: .usersCreate))
            #expect(row.bytes(0) != plain.identity)
            #expect(!String(decoding: row.bytes(1), as: UTF8.self).contains("scrypt"))
            let token = try await stack.signInAda()
            let kept = try await stack.accounts.rows("select outcome from account.request", [])
            #expect(kept.allSatisfy { !String(decoding: $0.bytes(0), as: UTF8.self).contains(token) })
        }
    }

    @Test func anAccountTakesOverTheNameByWhichDataWasSaved() async throws {
        try await AccountStack.with { stack in
            let name = "_" + String(repeating: "0", count: 31) + "1"
            let container = JSONValue.string(AccountStack.notes.container)
            let made = try await stack.ask(
                .usersCreate,
                ["email": "ada@example.org", "container": container, "userRecordName": .string(name)])
            #expect(made["userRecordName"]?.string == name)
            let taken = try await stack.ask(
                .usersCreate,
                ["email": "bob@example.org", "container": container, "userRecordName": .string(name)])
            #expect(taken["reasonCode"] == "user_name_taken")
            #expect(try await stack.accounts.account(email: "bob@example.org") == nil)
            let again = try await stack.ask(.usersCreate, ["email": "ADA@example.org"])
            #expect(again["reasonCode"] == "account_exists")
        }
    }

    private static let refused: [(ServiceMessages.Operation, JSONValue, String)] = [
        (ServiceMessages.Operation.usersCreate, [:] as JSONValue, "missing_key"),
        (.usersCreate, ["email": 5], "wrong_kind"), (.usersCreate, ["email": "ada"], "email_invalid"),
        (.usersCreate, ["email": "a@b", "password": "short"], "password_invalid"),
        (.usersCreate, ["email": "a@b", "givenName": ""], "invalid_value"),
        (.usersCreate, ["email": "a@b", "givenName": "a\u{0}b"], "nul_in_string"),
        (.usersCreate, ["email": "a@b", "discoverable": "yes"], "wrong_kind"),
        (.usersCreate, ["email": "a@b", "container": "no such"], "container_invalid"),
        (.usersCreate, ["email": "a@b", "container": "none.such"], "container_not_found"),
        (.usersCreate, ["email": "a@b", "userRecordName": "_1"], "missing_key"),
        (.usersCreate, ["email": "a@b", "container": "c", "userRecordName": "_1"], "user_name_invalid"),
        (.usersCreate, ["email": "a@b", "container": "c", "userRecordName": "_world"], "user_name_invalid"),
        (.usersToken, body(("email", "nobody@example.org")), "account_not_found"),
        (.usersToken, ["email": "a@b"], "missing_key"),
        (.usersToken, ["email": "a@b", "container": "c", "environment": "staging"], "environment_invalid"),
        (.usersPassword, ["email": "nobody@example.org"], "account_not_found"),
        (.usersSignOut, ["email": "nobody@example.org"], "account_not_found"),
        (.apiTokensCreate, body(), "missing_key"), (.apiTokensCreate, body(("name", "")), "invalid_value"),
        (.apiTokensCreate, body(("name", "n"), ("origins", "https://a")), "wrong_kind"),
        (.apiTokensCreate, body(("name", "n"), ("origins", ["https://a/b"])), "origin_invalid"),
        (
            .apiTokensCreate,
            body(("name", "n"), ("origins", .array(Array(repeating: "https://a", count: 51)))), "limit_exceeded"
        ),
        (.apiTokensCreate, body(("name", "n"), ("callbackURL", "javascript:1")), "callback_url_invalid"),
        (.apiTokensCreate, body(("name", "n"), ("callbackURL", "http://example.org/in")), "callback_url_invalid"),
        (.usersSignIns, ["email": "nobody@example.org"], "account_not_found"),
        (
            .apiTokensCreate, ["container": "none.such", "environment": "production", "name": "n"],
            "container_not_found"
        ),
        (.apiTokensList, ["after": "x"], "wrong_kind"), (.apiTokensList, ["limit": "x"], "wrong_kind"),
        (.serverKeysAdd, body(("name", "n"), ("publicKey", "x")), "public_key_invalid"),
    ]

    @Test(arguments: ["http://localhost:3000/in", "http://127.0.0.1/in", "http://[::1]:3000/in", "notes://signed-in"])
    func aCallbackOnTheUsersOwnMachineNeedsNoHTTPS(callback: String) async throws {
        try await AccountStack.with { stack in
            let answer = try await stack.ask(
                .apiTokensCreate, Self.body(("name", "n"), ("callbackURL", .string(callback))))
            #expect(answer["callbackURL"]?.string == callback, "\(answer)")
        }
    }

    @Test func signInsAreListedAndEndWithThePassword() async throws {
        try await AccountStack.with { stack in
            try await stack.makeUser("ada@example.org")
            let id = try #require(try await stack.accounts.account(email: "ada@example.org")).account.id
            let api = try await stack.makeAPIToken()
            _ = try await stack.accounts.openSession(
                of: id, container: AccountStack.notes.container, environment: .development, staysSignedIn: true,
                source: SignInSource(address: "192.0.2.1", apiToken: api))
            stack.time.pass(.seconds(60))
            _ = try await stack.signIn("ada@example.org")
            let signIns = try #require(
                try await stack.ask(.usersSignIns, ["email": "ADA@example.org"])["signIns"]?.array)
            #expect(signIns.map { $0["application"]?.string } == [nil, "web"])
            #expect(signIns.map { $0["address"]?.string } == [nil, "192.0.2.1"])
            #expect(signIns.map { $0["staysSignedIn"]?.bool } == [false, true])
            #expect(signIns[0]["lastUsed"]?.int == stack.time.now)
            #expect(signIns[0]["endsAt"]?.int == stack.time.now + 12 * 3_600_000)
            let password: JSONValue = ["email": "ada@example.org", "password": "battery staple", "keepsSignIns": true]
            #expect(try await stack.ask(.usersPassword, password)["sessions"] == 0)
            let changed = try await stack.ask(
                .usersPassword, ["email": "ada@example.org", "password": "correct horse"])
            #expect(changed["sessions"] == 2)
            #expect(try await stack.ask(.usersSignIns, ["email": "ada@example.org"])["signIns"] == [])
            let left = try await stack.accounts.rows("select count(*) from account.departure", [])
            #expect(left[0].int64(0) == 2)
        }
    }

    @Test func aFurtherSignInEndsTheLeastRecentlyUsed() async throws {
        try await AccountStack.with { stack in
            try await stack.makeUser("ada@example.org")
            let id = try #require(try await stack.accounts.account(email: "ada@example.org")).account.id
            var accounts = stack.accounts
            accounts.sessionBounds.maxSessions = 2
            var sessions: [WebAuthToken] = []
            for _ in 0..<3 {
                let text = try await accounts.openSession(
                    of: id, container: "another", environment: .development, staysSignedIn: false,
                    source: SignInSource())
                sessions.append(try #require(WebAuthToken(text, with: accounts.keys)))
                stack.time.pass(.seconds(1))
            }
            #expect(try await accounts.session(sessions[0].session) == nil)
            #expect(try await accounts.session(sessions[1].session) != nil)
            #expect(try await accounts.session(sessions[2].session) != nil)
        }
    }

    @Test func invalidRequestsAreRefusedWithTheirField() async throws {
        try await AccountStack.with { stack in
            for (operation, body, reasonCode) in Self.refused {
                let answer = try await stack.ask(operation, body)
                #expect(answer["reasonCode"]?.string == reasonCode, "\(operation) \(body)")
            }
        }
    }

    @Test func removingWhatDoesNotExistIsNoError() async throws {
        try await AccountStack.with { stack in
            let gone = try await stack.ask(.usersDelete, ["email": "nobody@example.org"])
            #expect(gone["deleted"] == false)
            let revoked = try await stack.ask(.apiTokensRevoke, ["token": "x"])
            #expect(revoked["revoked"] == false)
            let key = try await stack.ask(.serverKeysRevoke, Self.body(("keyID", "x")))
            #expect(key["revoked"] == false)
        }
    }

    @Test func listsContinueAfterTheirLastItem() async throws {
        try await AccountStack.with { stack in
            for name in ["c", "A", "b"] { try await stack.makeUser("\(name)@example.org") }
            _ = try await stack.makeAPIToken()
            let revoked = try await stack.makeAPIToken()
            try await stack.ask(.apiTokensRevoke, ["token": .string(revoked)])
            try await stack.ask(
                .apiTokensCreate,
                ["container": "iCloud.org.example.Other", "environment": "production", "name": "n"])
            for _ in 0..<3 {
                let pem = P256.Signing.PrivateKey().publicKey.pemRepresentation
                try await stack.ask(.serverKeysAdd, Self.body(("name", "n"), ("publicKey", .string(pem))))
            }
            let users = try await pages(stack, .usersList, "users")
            #expect(users.map { $0["email"] } == ["A@example.org", "b@example.org", "c@example.org"])
            #expect(users.first?["containers"]?[0]?["container"]?.string == AccountStack.notes.container)
            let tokens = try await pages(stack, .apiTokensList, "apiTokens")
            #expect(tokens.count == 3)
            #expect(tokens.filter { $0["revokedAt"] != nil }.map { $0["token"]?.string } == [revoked])
            #expect(Set(try await pages(stack, .serverKeysList, "serverKeys").map { $0["keyID"] }).count == 3)
            let some = try await stack.ask(.apiTokensList, ["container": "iCloud.org.example.Other"])
            #expect(some["apiTokens"]?.array?.count == 1)
            let none = try await stack.ask(.serverKeysList, ["environment": "production"])
            #expect(none["serverKeys"] == [])
        }
    }

    @Test func aKeyIsRegisteredPerContainerAndActiveAgainAfterRevocation() async throws {
        try await AccountStack.with { stack in
            let pem = JSONValue.string(P256.Signing.PrivateKey().publicKey.pemRepresentation)
            let here = try await stack.ask(.serverKeysAdd, Self.body(("name", "n"), ("publicKey", pem)))
            let there = try await stack.ask(
                .serverKeysAdd,
                [
                    "container": "iCloud.org.example.Other", "environment": "development", "name": "n",
                    "publicKey": pem,
                ])
            #expect(here["keyID"] == there["keyID"])
            #expect(here["userRecordName"] != there["userRecordName"])
            let id = try #require(here["keyID"]?.string)
            let revoked = try await stack.ask(.serverKeysRevoke, Self.body(("keyID", .string(id.uppercased()))))
            #expect(revoked["revoked"] == true)
            let notes = AccountStack.notes
            #expect(
                try await stack.accounts.serverKey(id, container: notes.container, environment: .development) == nil)
            let again = try await stack.ask(.serverKeysAdd, Self.body(("name", "m"), ("publicKey", pem)))
            #expect(again["userRecordName"] == here["userRecordName"])
            #expect(
                try await stack.accounts.serverKey(id, container: notes.container, environment: .development) != nil)
        }
    }

    private func pages(
        _ stack: AccountStack, _ operation: ServiceMessages.Operation, _ key: String
    ) async throws -> [JSONValue] {
        var (items, after): ([JSONValue], JSONValue?) = ([], nil)
        repeat {
            let answer = try await stack.ask(operation, ["limit": 2, "after": after ?? .null])
            items += answer[key]?.array ?? []
            after = answer["after"]
        } while after != nil
        return items
    }
}

extension AccountStack {
    fileprivate func signInAda() async throws -> String { try await signIn("ada@example.org") }
}

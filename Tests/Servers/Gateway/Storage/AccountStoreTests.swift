import CloudKitModel
import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import SignedTokens
import TestSupport
import Testing

@testable import Gateway
@testable import GatewayStorage

/// The store with a real database.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(5)))
struct AccountStoreTests {
    private let notes = AccountStack.notes.container

    @Test func anAccountIsFoundByEachSpellingOfItsAddress() async throws {
        try await AccountStack.with { stack in
            try await stack.ask(
                .usersCreate,
                ["email": " J\u{F6}rg@Example.org", "givenName": "J\u{F6}rg", "password": "correct horse"])
            let found = try #require(try await stack.accounts.account(email: "JO\u{308}RG@EXAMPLE.ORG "))
            #expect(found.account.email == "J\u{F6}rg@Example.org")
            #expect(found.account.givenName == "J\u{F6}rg")
            #expect(!found.account.isDiscoverable)
            #expect(PasswordHash.verifies("correct horse", try #require(found.password)))
            #expect(try await stack.accounts.account(id: found.account.id) == found.account)
            for other in ["jorg@example.org", "", "\u{0}@x", "j\u{F6}rg"] {
                #expect(try await stack.accounts.account(email: other) == nil)
            }
        }
    }

    @Test func anAccountHasOneNameInAContainer() async throws {
        try await AccountStack.with { stack in
            try await stack.ask(.usersCreate, ["email": "ada@example.org"])
            let id = try #require(try await stack.accounts.account(email: "ada@example.org")).account.id
            let names = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 { group.addTask { try await stack.accounts.userName(of: id, in: notes) } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(names.count == 1)
            #expect(throws: Never.self) { try UserName(validating: names.first ?? "") }
            #expect(try await stack.accounts.userName(of: id, in: "another") != names.first)
            await #expect(throws: PostgresError.self) { try await stack.accounts.userName(of: id + 1, in: notes) }
        }
    }

    @Test func usersAreFoundOnlyInTheirContainer() async throws {
        try await AccountStack.with { stack in
            let ada = try await stack.makeUser("ada@example.org")
            let bob = try await stack.makeUser("bob@example.org")
            try await stack.ask(.usersCreate, ["email": "eve@example.org"])
            let byAddress = try await stack.accounts.users(
                emails: ["ADA@example.org", "eve@example.org", "nobody", "nobody@example.org"], in: notes)
            #expect(byAddress.map(\.userName) == [ada])
            let byName = try await stack.accounts.users(names: [ada, bob, bob, "_world", "\u{0}"], in: notes)
            #expect(Set(byName.map(\.account.email)) == ["ada@example.org", "bob@example.org"])
            #expect(try await stack.accounts.users(names: [ada], in: "another").isEmpty)
            #expect(try await stack.accounts.users(emails: ["ada@example.org"], in: "another").isEmpty)
        }
    }

    @Test func aSessionIsKeptUntilItEndsOrExpires() async throws {
        try await AccountStack.with { stack in
            try await stack.makeUser("ada@example.org")
            let id = try #require(try await stack.accounts.account(email: "ada@example.org")).account.id
            let text = try await stack.accounts.openSession(
                of: id, container: "another", environment: .production, staysSignedIn: false,
                source: SignInSource(address: "192.0.2.1"))
            let token = try #require(WebAuthToken(text, with: stack.accounts.keys))
            #expect(token.isValid(container: "another", environment: .production, at: stack.time.now))
            let session = try #require(try await stack.accounts.session(token.session))
            #expect(session.account == id)
            #expect(session.userName == (try await stack.accounts.userName(of: id, in: "another")))
            #expect(session.expiresAt > token.expiresAt)
            stack.time.pass(.seconds(20 * 60))
            let prolonged = try #require(
                try await stack.accounts.noteUse(of: session, tokenMadeAt: stack.time.now, address: "192.0.2.2"))
            #expect(prolonged.expiresAt == session.expiresAt + 20 * 60_000)
            #expect(try await stack.accounts.session(token.session) == prolonged)
            #expect(try await stack.accounts.removeExpiredSessions() == 0)
            stack.time.pass(.seconds(36 * 60))
            try await BackgroundJobs(accounts: stack.accounts, logger: AccountStack.logger).removeExpired()
            #expect(try await stack.accounts.session(token.session) == nil)
            #expect(
                try await stack.accounts.noteUse(of: session, tokenMadeAt: stack.time.now, address: "192.0.2.2") == nil)
        }
    }

    @Test func signingOutEndsAllSessionsOfOneAccount() async throws {
        try await AccountStack.with { stack in
            for email in ["ada@example.org", "bob@example.org"] {
                try await stack.makeUser(email)
                _ = try await stack.signIn(email)
                _ = try await stack.signIn(email, staysSignedIn: true)
            }
            let ada = try #require(try await stack.accounts.account(email: "ada@example.org")).account.id
            #expect(try await stack.accounts.signOutEverywhere(ada) == 2)
            #expect(try await stack.accounts.signOutEverywhere(ada) == 0)
            let rest = try await stack.accounts.rows("select count(*) from account.session", [])
            #expect(rest[0].int64(0) == 2)
        }
    }

    @Test func anAPITokenIsValidUntilItIsRevoked() async throws {
        try await AccountStack.with { stack in
            let text = try await stack.makeAPIToken(origins: ["https://Notes.example.org:443"])
            let token = try #require(try await stack.accounts.apiToken(text.uppercased()))
            #expect(token.token == text)
            #expect(token.origins == ["https://notes.example.org"])
            #expect(token.environment == .development)
            #expect(try await stack.accounts.apiToken("x") == nil)
            #expect(try await stack.accounts.apiToken(String(repeating: "0", count: 64)) == nil)
            try await stack.ask(.apiTokensRevoke, ["token": .string(text)])
            #expect(try await stack.accounts.apiToken(text) == nil)
        }
    }
}

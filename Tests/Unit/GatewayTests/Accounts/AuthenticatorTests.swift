import CloudKitModel
import CloudKitWire
import Crypto
import Foundation
import HTTPTypes
import RequestServing
import ServiceMessages
import ServiceRuntime
import SignedTokens
import TestSupport
import Testing

@testable import Gateway
@testable import GatewayStorage

/// Who may ask what (web-services 2.0 and 4.1), over a real database.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(5)))
struct AuthenticatorTests {
    private func path(
        _ endpoint: Endpoint, _ database: DatabaseScope = .public, _ environment: EnvironmentName = .development,
        container: String = AccountStack.notes.container
    ) -> EndpointPath {
        EndpointPath(container: container, environment: environment, database: database, endpoint: endpoint)
    }

    private func refusal(
        _ stack: AccountStack, _ request: GatewayRequest, _ path: EndpointPath, fresh: Bool = true
    ) async throws -> Refusal? {
        let authenticator = fresh ? stack.freshAuthenticator : stack.authenticator
        do {
            _ = try await authenticator.authenticate(request, at: path)
            return nil
        } catch let refusal as Refusal {
            return refusal
        }
    }

    @Test func anAPITokenAloneReadsThePublicDatabaseAndIsSentToSignInElsewhere() async throws {
        try await AccountStack.with { stack in
            let request = GatewayRequest.sent("/x?ckAPIToken=\(try await stack.makeAPIToken())&ckWebAuthToken=null")
            for endpoint in [Endpoint.recordsQuery, .recordsLookup, .recordsModify] {
                let caller = try await stack.authenticator.authenticate(request, at: path(endpoint))
                #expect(caller.kind == .world)
                #expect(caller.userName == "_world")
                #expect(caller.renewedToken == nil)
            }
            let others = Endpoint.allCases.filter { $0.need != .apiToken }.map { path($0) }
            let elsewhere = [DatabaseScope.private, .shared].map { path(.recordsQuery, $0) }
            for path in others + elsewhere {
                let refusal = try #require(try await refusal(stack, request, path, fresh: false))
                #expect(refusal.error.code == .authenticationRequired)
                #expect(refusal.error.reason == "request needs authorization")
                #expect(refusal.redirectURL != nil)
            }
        }
    }

    @Test func aTokenIsGoodInItsContainerAndEnvironmentOnly() async throws {
        try await AccountStack.with { stack in
            let api = try await stack.makeAPIToken()
            let good = GatewayRequest.sent("/x?ckAPIToken=\(api)")
            for path in [
                path(.recordsQuery, container: "iCloud.org.example.Other"), path(.recordsQuery, .public, .production),
            ] {
                #expect(try await refusal(stack, good, path)?.error.reasonCode == "api_token_invalid")
            }
            for text in ["x", String(repeating: "0", count: 64), String(api.dropLast()) + "g"] {
                let refused = try await refusal(stack, .sent("/x?ckAPIToken=\(text)"), path(.recordsQuery))
                #expect(refused?.error.code == .authenticationFailed)
                #expect(refused?.redirectURL == nil)
            }
            let none = try await refusal(stack, .sent("/x"), path(.usersCaller))
            #expect(none?.error.reasonCode == "credentials_missing")
            #expect(none?.error.code == .badRequest)
        }
    }

    @Test func originsAreThoseOfTheToken() async throws {
        try await AccountStack.with { stack in
            let limited = "/x?ckAPIToken=\(try await stack.makeAPIToken(origins: ["https://notes.example.org"]))"
            let open = "/x?ckAPIToken=\(try await stack.makeAPIToken())"
            for (target, origin, isGood) in [
                (limited, "https://notes.example.org", true), (limited, nil, true),
                (limited, "https://evil.example.org", false), (limited, "null", false),
                (limited, "http://notes.example.org", false), (open, "https://evil.example.org", true),
            ] {
                let request = GatewayRequest.sent(target, headers: origin.map { [.origin: $0] } ?? [:])
                let refused = try await refusal(stack, request, path(.recordsQuery))
                #expect(refused?.error.reasonCode == (isGood ? nil : "origin_not_allowed"), "\(origin ?? "none")")
            }
        }
    }

    @Test func aUserWhoHasSignedInMayAskEverywhereAndGetsAFreshToken() async throws {
        try await AccountStack.with { stack in
            let name = try await stack.makeUser("ada@example.org")
            let api = try await stack.makeAPIToken()
            let first = try await stack.signIn("ada@example.org")
            var token = first
            for endpoint in Endpoint.allCases {
                for database in endpoint.databases {
                    let caller = try await stack.authenticator.authenticate(
                        .sent("/x?ckAPIToken=\(api)&ckWebAuthToken=\(token)"), at: path(endpoint, database))
                    #expect(caller.userName == name)
                    #expect(caller.apiToken == api)
                    token = try #require(caller.renewedToken)
                }
            }
            // The first is good beside the others until its own time is over, the others longer.
            stack.time.pass(.seconds(29 * 60))
            let request = GatewayRequest.sent("/x?ckAPIToken=\(api)&ckWebAuthToken=\(first)")
            let caller = try await stack.authenticator.authenticate(request, at: path(.zonesList, .private))
            let later = try #require(caller.renewedToken)
            stack.time.pass(.seconds(60))
            let refused = try #require(try await refusal(stack, request, path(.zonesList, .private)))
            #expect(refused.error.code == .authenticationRequired)
            #expect(refused.redirectURL != nil)
            stack.time.pass(.seconds(28 * 60))
            try await BackgroundJobs(accounts: stack.accounts, logger: AccountStack.logger).removeExpired()
            let again = GatewayRequest.sent("/x?ckAPIToken=\(api)&ckWebAuthToken=\(later)")
            #expect(try await refusal(stack, again, path(.zonesList, .private)) == nil)
        }
    }

    @Test func whatIsNoGoodWebAuthTokenLeadsToSignInAlsoWhereNoneIsNeeded() async throws {
        try await AccountStack.with { stack in
            try await stack.makeUser("ada@example.org")
            let api = try await stack.makeAPIToken()
            let good = try await stack.signIn("ada@example.org")
            let elsewhere = try await stack.ask(
                .usersToken,
                ["email": "ada@example.org", "container": "iCloud.org.example.Other", "environment": "development"])
            let production = try await stack.ask(
                .usersToken,
                [
                    "email": "ada@example.org", "container": .string(AccountStack.notes.container),
                    "environment": "production",
                ])
            let forged = String(good.dropLast()) + (good.last == "0" ? "1" : "0")
            for token in [
                "x", forged, String(repeating: "0", count: 120), elsewhere["webAuthToken"]?.string,
                production["webAuthToken"]?.string,
            ] {
                let request = GatewayRequest.sent("/x?ckAPIToken=\(api)&ckWebAuthToken=\(try #require(token))")
                let refused = try #require(try await refusal(stack, request, path(.recordsQuery)))
                #expect(refused.error.code == .authenticationRequired)
                #expect(refused.redirectURL != nil)
            }
        }
    }

    @Test func signingOutAndRevokingAreNoticedWithinSeconds() async throws {
        try await AccountStack.with { stack in
            try await stack.makeUser("ada@example.org")
            let api = try await stack.makeAPIToken()
            let target = "/x?ckAPIToken=\(api)&ckWebAuthToken=\(try await stack.signIn("ada@example.org"))"
            #expect(try await refusal(stack, .sent(target), path(.zonesList, .private), fresh: false) == nil)
            try await stack.ask(.usersSignOut, ["email": "ada@example.org"])
            stack.time.pass(.seconds(5))
            let out = try await refusal(stack, .sent(target), path(.zonesList, .private), fresh: false)
            #expect(out?.error.code == .authenticationRequired)
            try await stack.ask(.apiTokensRevoke, ["token": .string(api)])
            stack.time.pass(.seconds(5))
            let revoked = try await refusal(stack, .sent(target), path(.zonesList, .private), fresh: false)
            #expect(revoked?.error.reasonCode == "api_token_invalid")
        }
    }

    @Test func aSignInEndsHoweverMuchItIsUsed() async throws {
        try await AccountStack.with { stack in
            try await stack.makeUser("ada@example.org")
            let api = try await stack.makeAPIToken()
            for (stays, step, hours) in [(false, 20 * 60, 12), (true, 86_400, 90 * 24)] {
                var token = try await stack.signIn("ada@example.org", staysSignedIn: stays)
                var passed = 0
                while passed + step < hours * 3600 {
                    stack.time.pass(.seconds(step))
                    passed += step
                    let caller = try await stack.authenticator.authenticate(
                        .sent("/x?ckAPIToken=\(api)&ckWebAuthToken=\(token)"), at: path(.zonesList, .private))
                    token = try #require(caller.renewedToken)
                    _ = try await stack.accounts.removeExpiredSessions()
                }
                stack.time.pass(.seconds(step))
                let request = GatewayRequest.sent("/x?ckAPIToken=\(api)&ckWebAuthToken=\(token)")
                let refused = try await refusal(stack, request, path(.zonesList, .private))
                #expect(refused?.error.code == .authenticationRequired)
            }
        }
    }

    @Test func anOlderTokenAfterANewerOneIsNoted() async throws {
        try await AccountStack.with { stack in
            try await stack.makeUser("ada@example.org")
            let api = try await stack.makeAPIToken()
            let metrics = ServiceMetrics()
            let authenticator = Authenticator(
                accounts: stack.accounts, signIn: stack.authenticator.signIn, metrics: GatewayMetrics(metrics),
                logger: AccountStack.logger)
            func use(_ token: String) async throws -> String? {
                try await authenticator.authenticate(
                    .sent("/x?ckAPIToken=\(api)&ckWebAuthToken=\(token)"), at: path(.zonesList, .private)
                ).renewedToken
            }
            func noted() -> Bool { metrics.rendered().contains("zonda_gateway_older_tokens_total 1") }
            let first = try await stack.signIn("ada@example.org")
            // Requests side by side, and clients that keep their first token, are as it should be.
            _ = try await use(first)
            stack.time.pass(.seconds(600))
            let second = try #require(try await use(first))
            stack.time.pass(.seconds(60))
            _ = try await use(second)
            _ = try await use(first)
            #expect(!noted())
            stack.time.pass(.seconds(300))
            _ = try await use(second)
            stack.time.pass(.seconds(200))
            _ = try await use(first)
            #expect(noted())
        }
    }

    @Test func guessesAreNotLookedUpWithoutEnd() async throws {
        try await AccountStack.with { stack in
            let api = try await stack.makeAPIToken()
            let authenticator = stack.freshAuthenticator
            func reason(_ token: String, from address: String = "192.0.2.1") async throws -> String? {
                var request = GatewayRequest.sent("/x?ckAPIToken=\(token)")
                request.address = address
                do {
                    _ = try await authenticator.authenticate(request, at: path(.recordsQuery))
                    return nil
                } catch let refusal as Refusal {
                    return refusal.error.reasonCode
                }
            }
            #expect(try await reason(api) == nil)
            var reasons: Set<String?> = []
            // The bucket fills while it is emptied.
            for guess in 0..<10 * GuessLimit.rate.burst where !reasons.contains("throttled") {
                let digits = String(guess, radix: 16)
                reasons.insert(try await reason(String(repeating: "0", count: 64 - digits.utf8.count) + digits))
            }
            #expect(reasons == ["api_token_invalid", "throttled"])
            // What is known is not guessed, and other addresses may still err.
            #expect(try await reason(api) == nil)
            #expect(try await reason(String(repeating: "f", count: 64), from: "198.51.100.1") == "api_token_invalid")
        }
    }

    @Test func aSignatureActsAsItsKeyInThePublicDatabaseOnly() async throws {
        try await AccountStack.with { stack in
            let key = P256.Signing.PrivateKey()
            let added = try await stack.ask(
                .serverKeysAdd,
                [
                    "container": .string(AccountStack.notes.container), "environment": "development",
                    "name": "importer",
                    "publicKey": .string(key.publicKey.pemRepresentation),
                ])
            let id = try #require(added["keyID"]?.string)
            let request = try signed("/database/1/x", body: "{}", key, id: id)
            let caller = try await stack.authenticator.authenticate(request, at: path(.recordsModify))
            #expect(caller.kind == .serverKey(id: id))
            #expect(caller.userName == added["userRecordName"]?.string)
            #expect(caller.apiToken == nil && caller.renewedToken == nil)
            for endpoint in [Endpoint.usersCaller, .usersCurrent, .zonesList, .assetsUpload, .tokensCreate] {
                #expect(try await refusal(stack, request, path(endpoint)) == nil)
            }
            for path in [
                path(.recordsQuery, .private), path(.recordsQuery, .shared), path(.usersDiscover),
                path(.usersLookupEmail),
            ] {
                let refused = try await refusal(stack, request, path)
                #expect(refused?.error.code == .authenticationFailed)
                #expect(refused?.error.reasonCode == "server_key_not_enough")
            }
            for path in [
                path(.recordsQuery, container: "iCloud.org.example.Other"), path(.recordsQuery, .public, .production),
            ] {
                let refused = try #require(try await refusal(stack, request, path))
                #expect(refused.error.code == .authenticationFailed)
                #expect(refused.error.reason == "Authentication failed")
            }
            let other = try signed("/database/1/x", body: "{}", P256.Signing.PrivateKey(), id: id)
            #expect(try await refusal(stack, other, path(.recordsQuery))?.error.reasonCode == "signature_invalid")
            stack.time.pass(.seconds(601))
            #expect(try await refusal(stack, request, path(.recordsQuery))?.error.reasonCode == "signature_invalid")
            stack.time.pass(.seconds(-601))
            try await stack.ask(
                .serverKeysRevoke,
                [
                    "container": .string(AccountStack.notes.container), "environment": "development",
                    "keyID": .string(id),
                ])
            #expect(try await refusal(stack, request, path(.recordsQuery))?.error.reasonCode == "signature_invalid")
        }
    }

    private func signed(
        _ target: String, body: String, _ key: P256.Signing.PrivateKey, id: String
    ) throws -> GatewayRequest {
        let date = "2026-01-15T09:30:00Z"
        let hash = Data(SHA256.hash(data: Data(body.utf8))).base64EncodedString()
        let signature = try key.signature(for: Data("\(date):\(hash):\(target)".utf8)).derRepresentation
        return .sent(
            target,
            headers: .signature(keyID: id.uppercased(), date: date, signature: signature.base64EncodedString()),
            body: body)
    }
}

import CloudKitModel
import CloudKitWire
import GatewayTestSupport
import ServiceMessages
import ServiceRuntime
import TestSupport
import Testing

@testable import Gateway
@testable import GatewayStorage

/// The permissions and the lifetime of a web auth token (web-services 4.3), with a real database.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(5)))
struct WebAuthTokenAuthenticationTests {
    @Test func aUserWhoHasSignedInMayUseEveryEndpointAndReceivesANewToken() async throws {
        try await AccountStack.with { stack in
            let name = try await stack.makeUser("ada@example.org")
            let api = try await stack.makeAPIToken()
            let first = try await stack.signIn("ada@example.org")
            var token = first
            for endpoint in Endpoint.allCases {
                for database in endpoint.databases {
                    let caller = try await stack.authenticator.authenticate(
                        .sent("/x?ckAPIToken=\(api)&ckWebAuthToken=\(token)"),
                        at: EndpointPath.notes(endpoint, database))
                    #expect(caller.userName == name)
                    #expect(caller.apiToken == api)
                    token = try #require(caller.renewedToken)
                }
            }
            // The first token is valid until its own time is over, and the others for longer.
            stack.time.pass(.seconds(29 * 60))
            let request = GatewayRequest.sent("/x?ckAPIToken=\(api)&ckWebAuthToken=\(first)")
            let caller = try await stack.authenticator.authenticate(
                request, at: EndpointPath.notes(.zonesList, .private))
            let later = try #require(caller.renewedToken)
            stack.time.pass(.seconds(60))
            let refused = try #require(
                try await stack.refusal(of: request, at: EndpointPath.notes(.zonesList, .private)))
            #expect(refused.error.code == .authenticationRequired)
            #expect(refused.redirectURL != nil)
            stack.time.pass(.seconds(28 * 60))
            try await BackgroundJobs(accounts: stack.accounts, logger: AccountStack.logger).removeExpired()
            let again = GatewayRequest.sent("/x?ckAPIToken=\(api)&ckWebAuthToken=\(later)")
            #expect(try await stack.refusal(of: again, at: EndpointPath.notes(.zonesList, .private)) == nil)
        }
    }

    @Test func anInvalidWebAuthTokenLeadsToSignInEvenWhereNoneIsRequired() async throws {
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
                let refused = try #require(try await stack.refusal(of: request, at: EndpointPath.notes(.recordsQuery)))
                #expect(refused.error.code == .authenticationRequired)
                #expect(refused.redirectURL != nil)
            }
        }
    }

    @Test func signingOutAndRevokingTakeEffectWithinSeconds() async throws {
        try await AccountStack.with { stack in
            try await stack.makeUser("ada@example.org")
            let api = try await stack.makeAPIToken()
            let target = "/x?ckAPIToken=\(api)&ckWebAuthToken=\(try await stack.signIn("ada@example.org"))"
            #expect(
                try await stack.refusal(of: .sent(target), at: EndpointPath.notes(.zonesList, .private), isFresh: false)
                    == nil)
            try await stack.ask(.usersSignOut, ["email": "ada@example.org"])
            stack.time.pass(.seconds(5))
            let out = try await stack.refusal(
                of: .sent(target), at: EndpointPath.notes(.zonesList, .private), isFresh: false)
            #expect(out?.error.code == .authenticationRequired)
            try await stack.ask(.apiTokensRevoke, ["token": .string(api)])
            stack.time.pass(.seconds(5))
            let revoked = try await stack.refusal(
                of: .sent(target), at: EndpointPath.notes(.zonesList, .private), isFresh: false)
            #expect(revoked?.error.reasonCode == "api_token_invalid")
        }
    }

    @Test func aSignInEndsEvenIfItIsInUse() async throws {
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
                        .sent("/x?ckAPIToken=\(api)&ckWebAuthToken=\(token)"),
                        at: EndpointPath.notes(.zonesList, .private))
                    token = try #require(caller.renewedToken)
                    _ = try await stack.accounts.removeExpiredSessions()
                }
                stack.time.pass(.seconds(step))
                let request = GatewayRequest.sent("/x?ckAPIToken=\(api)&ckWebAuthToken=\(token)")
                let refused = try await stack.refusal(of: request, at: EndpointPath.notes(.zonesList, .private))
                #expect(refused?.error.code == .authenticationRequired)
            }
        }
    }

    @Test func anOlderTokenAfterANewerOneIsCounted() async throws {
        try await AccountStack.with { stack in
            try await stack.makeUser("ada@example.org")
            let api = try await stack.makeAPIToken()
            let metrics = ServiceMetrics()
            let authenticator = Authenticator(
                accounts: stack.accounts, signIn: stack.authenticator.signIn, metrics: GatewayMetrics(metrics),
                logger: AccountStack.logger)
            func use(_ token: String) async throws -> String? {
                try await authenticator.authenticate(
                    .sent("/x?ckAPIToken=\(api)&ckWebAuthToken=\(token)"), at: EndpointPath.notes(.zonesList, .private)
                ).renewedToken
            }
            func noted() -> Bool { metrics.rendered().contains("zonda_gateway_older_tokens_total 1") }
            let first = try await stack.signIn("ada@example.org")
            // Concurrent requests, and clients that keep their first token, are allowed.
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
}

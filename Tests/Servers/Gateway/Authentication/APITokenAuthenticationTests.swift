import CloudKitModel
import CloudKitWire
import GatewayTestSupport
import HTTPTypes
import RequestServing
import TestSupport
import Testing

@testable import Gateway
@testable import GatewayStorage

/// The permissions of an API token (web-services 2.0 and 4.1), with a real database.
@Suite(
    .enabled(if: TestEnvironment.current != nil, Comment(rawValue: TestEnvironment.absence)), .timeLimit(.minutes(5)))
struct APITokenAuthenticationTests {
    @Test func anAPITokenAloneReadsThePublicDatabaseAndIsReferredToSignInElsewhere() async throws {
        try await AccountStack.with { stack in
            let request = GatewayRequest.sent("/x?ckAPIToken=\(try await stack.makeAPIToken())&ckWebAuthToken=null")
            for endpoint in [Endpoint.recordsQuery, .recordsLookup, .recordsModify] {
                let caller = try await stack.authenticator.authenticate(request, at: EndpointPath.notes(endpoint))
                #expect(caller.kind == .world)
                #expect(caller.userName == "_world")
                #expect(caller.renewedToken == nil)
            }
            let others = Endpoint.allCases.filter { $0.need != .apiToken }.map { EndpointPath.notes($0) }
            let elsewhere = [DatabaseScope.private, .shared].map { EndpointPath.notes(.recordsQuery, $0) }
            for path in others + elsewhere {
                let refusal = try #require(try await stack.refusal(of: request, at: path, isFresh: false))
                #expect(refusal.error.code == .authenticationRequired)
                #expect(refusal.error.reason == "request needs authorization")
                #expect(refusal.redirectURL != nil)
            }
        }
    }

    @Test func aTokenIsValidOnlyInItsContainerAndEnvironment() async throws {
        try await AccountStack.with { stack in
            let api = try await stack.makeAPIToken()
            let good = GatewayRequest.sent("/x?ckAPIToken=\(api)")
            for path in [
                EndpointPath.notes(.recordsQuery, container: "iCloud.org.example.Other"),
                EndpointPath.notes(.recordsQuery, .public, .production),
            ] {
                #expect(try await stack.refusal(of: good, at: path)?.error.reasonCode == "api_token_invalid")
            }
            for text in ["x", String(repeating: "0", count: 64), String(api.dropLast()) + "g"] {
                let refused = try await stack.refusal(
                    of: .sent("/x?ckAPIToken=\(text)"), at: EndpointPath.notes(.recordsQuery))
                #expect(refused?.error.code == .authenticationFailed)
                #expect(refused?.redirectURL == nil)
            }
            let none = try await stack.refusal(of: .sent("/x"), at: EndpointPath.notes(.usersCaller))
            #expect(none?.error.reasonCode == "credentials_missing")
            #expect(none?.error.code == .badRequest)
        }
    }

    @Test func onlyTheOriginsOfTheTokenAreAllowed() async throws {
        try await AccountStack.with { stack in
            let limited = "/x?ckAPIToken=\(try await stack.makeAPIToken(origins: ["https://notes.example.org"]))"
            let open = "/x?ckAPIToken=\(try await stack.makeAPIToken())"
            for (target, origin, isGood) in [
                (limited, "https://notes.example.org", true), (limited, nil, true),
                (limited, "https://evil.example.org", false), (limited, "null", false),
                (limited, "http://notes.example.org", false), (open, "https://evil.example.org", true),
            ] {
                let request = GatewayRequest.sent(target, headers: origin.map { [.origin: $0] } ?? [:])
                let refused = try await stack.refusal(of: request, at: EndpointPath.notes(.recordsQuery))
                #expect(refused?.error.reasonCode == (isGood ? nil : "origin_not_allowed"), "\(origin ?? "none")")
            }
        }
    }

    @Test func guessesAreLookedUpOnlyUpToALimit() async throws {
        try await AccountStack.with { stack in
            let api = try await stack.makeAPIToken()
            let authenticator = stack.freshAuthenticator
            func reason(_ token: String, from address: String = "192.0.2.1") async throws -> String? {
                var request = GatewayRequest.sent("/x?ckAPIToken=\(token)")
                request.address = address
                do {
                    _ = try await authenticator.authenticate(request, at: EndpointPath.notes(.recordsQuery))
                    return nil
                } catch let refusal as Refusal {
                    return refusal.error.reasonCode
                }
            }
            #expect(try await reason(api) == nil)
            var reasons: Set<String?> = []
            // The bucket refills while it is being emptied.
            for guess in 0..<10 * GuessLimit.rate.burst where !reasons.contains("throttled") {
                let digits = String(guess, radix: 16)
                reasons.insert(try await reason(String(repeating: "0", count: 64 - digits.utf8.count) + digits))
            }
            #expect(reasons == ["api_token_invalid", "throttled"])
            // Known tokens do not count as guesses, and other addresses may still send unknown ones.
            #expect(try await reason(api) == nil)
            #expect(try await reason(String(repeating: "f", count: 64), from: "198.51.100.1") == "api_token_invalid")
        }
    }
}

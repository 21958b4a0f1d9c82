import CloudKitWire
import Foundation
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// The answers that clients get while services are unavailable, and the secrets that the gateway must not log.
    @Suite(.timeLimit(.minutes(10))) struct GatewayTroubleTests {
        @Test func clientsAreAskedToTryAgainWhileAServiceIsAway() async throws {
            try await ServiceStack.with { stack in
                let record = try await stack.startService(.record)
                let gateway = try await stack.startService(
                    .gateway, ["ZONDA_GATEWAY_REQUEST_TIME": "1s", "ZONDA_LOG_LEVEL": "debug"])
                let user = try await GatewayClient.user(stack)
                let key = try await GatewayClient.key(stack)
                #expect(try await user.ask("zones/list").status == 200)
                #expect(try await key.ask("zones/list", in: "public").status == 200)
                record.terminate()
                #expect(try await record.exit(within: .seconds(10)) == .code(0))

                let began = ContinuousClock.now
                let reply = try await user.ask("zones/list", headers: ["Origin": "https://app.example"])
                #expect(ContinuousClock.now - began < .seconds(10))
                #expect(reply.status == 503)
                #expect(reply.json["serverErrorCode"]?.string == "TRY_AGAIN_LATER")
                #expect(reply.json["retryAfter"]?.int == 2)
                #expect(reply.headers["retry-after"] == "2")
                #expect(reply.headers["access-control-allow-origin"] == "https://app.example")
                #expect(reply.headers["x-apple-cloudkit-web-auth-token"] != nil)

                try await stack.startService(.record)
                #expect(try await user.ask("zones/list").status == 200)
                gateway.terminate()
                #expect(try await gateway.exit(within: .seconds(10)) == .code(0))
                checkLog(gateway, user, key)
            }
        }

        @Test func aDatabaseThatStandsStillIsNotWaitedForLong() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.record)
                try await stack.startService(.gateway, ["ZONDA_GATEWAY_REQUEST_TIME": "1s"])
                let user = try await GatewayClient.user(stack)
                let lock = Task {
                    try await stack.database.query(
                        "do $$ begin lock table account.session; perform pg_sleep(300); end $$")
                }
                try await eventually("sessions are locked") {
                    let locks = try await stack.database.query(
                        """
                        select 1 from pg_locks
                        where relation = 'account.session'::regclass and mode = 'AccessExclusiveLock' and granted
                        """)
                    return locks.isEmpty ? nil : true
                }
                let reply = try await user.ask("zones/list", headers: ["Origin": "https://app.example"])
                #expect(reply.status == 503)
                #expect(reply.json["serverErrorCode"]?.string == "TRY_AGAIN_LATER", "\(reply.text)")
                #expect(reply.headers["retry-after"] != nil)
                #expect(reply.headers["access-control-allow-origin"] == "https://app.example")
                lock.cancel()
                _ = try? await lock.value
                #expect(try await user.ask("zones/list").status == 200)
            }
        }

        /// The log contains the routes, but nothing from targets, headers and bodies.
        private func checkLog(_ gateway: ServiceProcess, _ user: GatewayClient, _ key: GatewayClient) {
            #expect(gateway.log.contains("zones.list"))
            guard case .user(let apiToken, let webAuthToken) = user.credentials else { return }
            #expect(!gateway.log.contains(apiToken))
            #expect(!gateway.log.contains(webAuthToken))
            #expect(!gateway.log.contains("ckWebAuthToken"))
            #expect(!gateway.log.contains("/database/1/"))
            #expect(gateway.errors == [])
        }

        @Test func aUserAndATokenHaveTheirRates() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.record)
                let gateway = try await stack.startService(
                    .gateway,
                    [
                        "ZONDA_RATE_USER_PER_SECOND": "1", "ZONDA_RATE_USER_BURST": "3",
                        "ZONDA_RATE_TOKEN_PER_SECOND": "1",
                        "ZONDA_RATE_TOKEN_BURST": "5",
                    ])
                let user = try await GatewayClient.user(stack)
                var replies: [AssetClient.Response] = []
                for _ in 0..<8 { replies.append(try await user.ask("zones/list")) }
                let refused = try #require(replies.last { $0.status == 429 })
                #expect(replies.prefix(3).allSatisfy { $0.status == 200 })
                #expect(refused.json["serverErrorCode"]?.string == "THROTTLED")
                #expect(refused.json["field"]?.string == "user")
                #expect(refused.headers["retry-after"] == refused.json["retryAfter"]?.int.map { "\($0)" })
                #expect(refused.headers["x-apple-cloudkit-web-auth-token"] != nil)
                // Other clients are not affected.
                #expect(try await GatewayClient.user(stack).ask("zones/list").status == 200)
                #expect(try await gateway.metric("zonda_gateway_throttled_total") > 0)
            }
        }

        @Test func aClientThatTriesPasswordsHasToWait() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.record)
                let gateway = try await stack.startService(
                    .gateway, ["ZONDA_SIGN_IN_BURST": "2", "ZONDA_SIGN_IN_EMAIL_RATE": "1"])
                var form = try await SignInForm(stack.gatewayURL + "/signin/out")
                (form.fields["email"], form.fields["password"]) = ("ada@example.org", "a guess")
                for _ in 0..<2 { #expect(try await form.submit("/signin/out", to: stack).status == 422) }
                let refused = try await form.submit("/signin/out", to: stack)
                #expect(refused.status == 429)
                #expect(refused.text.contains("Too many attempts"))
                #expect((1...60).contains(refused.headers["retry-after"].flatMap { Int($0) } ?? 0))
                #expect(try await gateway.metrics().contains(#"zonda_gateway_sign_ins_total{outcome="throttled"} 1"#))
            }
        }
    }
}

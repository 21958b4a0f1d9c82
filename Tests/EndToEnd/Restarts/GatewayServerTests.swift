import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.RestartTests {
    /// The answers that clients of the gateway receive while a server is unavailable.
    @Suite(.timeLimit(.minutes(5))) struct GatewayServerTests {
        @Test(arguments: [("postgres", "database"), ("rabbitmq", "broker")])
        func clientsAreAskedToTryAgainUntilTheServerIsBack(server: String, name: String) async throws {
            try await ServiceStack.with { stack in
                let record = try await stack.startService(.record)
                let gateway = try await stack.startService(.gateway, ["ZONDA_GATEWAY_REQUEST_TIME": "2s"])
                let user = try await GatewayClient.user(stack)
                // The gateway remembers the identity of one user for a moment, and has never seen the other.
                let stranger = try await GatewayClient.user(stack)
                #expect(try await user.ask("zones/list").status == 200)
                try await stack.environment.control("stop", server)
                do {
                    for client in [user, stranger] {
                        let reply = try await client.ask("zones/list", headers: ["Origin": "https://app.example"])
                        #expect(reply.status == 503)
                        #expect(reply.json["serverErrorCode"]?.string == "TRY_AGAIN_LATER", "\(reply.text)")
                        #expect((reply.headers["retry-after"].flatMap { Int($0) } ?? 0) > 0)
                        #expect(reply.headers["access-control-allow-origin"] == "https://app.example")
                    }
                    try await gateway.waitUntilNotReady(because: name)
                } catch {
                    try await stack.environment.control("start", server)
                    throw error
                }
                try await stack.environment.control("start", server)
                for service in [record, gateway] { try await service.waitUntilReady() }
                for client in [user, stranger] { #expect(try await client.ask("zones/list").status == 200) }
            }
        }
    }
}

import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.RestartTests {
    /// The broker takes no publishes while its memory or disk is short.
    @Suite(.timeLimit(.minutes(2))) struct BlockedBrokerTests {
        @Test func aServiceWhoseAnswersAreBlockedIsNotReadyAndSaysWhy() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService()
                let client = stack.client()
                _ = try await client.ask(.zonesList)
                try await setAlarm(true, stack)
                do {
                    // The broker blocks a connection when it publishes. Ours are blocked too, so the broker itself asks.
                    try await stack.environment.control(
                        "erlang",
                        """
                        rabbit_basic:publish(
                            rabbit_misc:r(<<"\(stack.vhost.name)">>, exchange, <<"\(Exchange.requests)">>),
                            <<"service.capabilities">>, [{reply_to, <<"reply.nowhere">>}], <<"{}">>).
                        """)
                    try await service.waitUntilNotReady(because: "the broker takes no publishes: publisher")
                    #expect(try await service.metric("zonda_broker_blocked{client=\"publisher\"}") == 1)
                } catch {
                    try await setAlarm(false, stack)
                    throw error
                }
                try await setAlarm(false, stack)
                try await service.waitUntilReady()
                _ = try await client.ask(.zonesList)
                #expect(try await service.metric("zonda_broker_blocked{client=\"publisher\"}") == 0)
            }
        }

        private func setAlarm(_ isOn: Bool, _ stack: ServiceStack) async throws {
            let source = "{resource_limit, memory, node()}"
            try await stack.environment.control(
                "erlang",
                isOn ? "ok = rabbit_alarm:set_alarm({\(source), []})." : "ok = rabbit_alarm:clear_alarm(\(source)).")
        }
    }
}

import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests.RestartTests {
    /// The broker accepts no messages while it is short of memory or disk space.
    @Suite(.timeLimit(.minutes(3))) struct BlockedBrokerTests {
        @Test func aServiceWhoseAnswersAreBlockedIsNotReadyAndSaysWhy() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService()
                let client = stack.client()
                _ = try await client.ask(.zonesList)
                try await setAlarm(true, stack)
                do {
                    // The broker blocks a connection when it publishes. The test's connections are blocked too, so the
                    // broker itself sends the request.
                    try await stack.environment.control(
                        "erlang",
                        """
                        rabbit_basic:publish(
                            rabbit_misc:r(<<"\(stack.vhost.name)">>, exchange, <<"\(Exchange.requests)">>),
                            <<"service.capabilities">>, [{reply_to, <<"reply.nowhere">>}], <<"{}">>).
                        """)
                    try await service.waitUntilNotReady(because: "the broker accepts no messages: publisher")
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

        /// Each request is answered with the whole record. Answers are written only as fast as the broker accepts them.
        @Test func answersToManySmallChangesOfALargeRecordAreNotAllInMemoryAtOnce() async throws {
            try await ServiceStack.with { stack in
                let first = try await stack.startService()
                let client = stack.client()
                try await client.zones("create", "Notes")
                try await client.save(
                    "Notes", "big", ["n": 0, "t": .string(String(repeating: "a", count: 990_000))])
                first.terminate()
                try await first.exit(within: .seconds(30))
                let count = 200
                let requests = (1...count).map { number in
                    let change = JSONValue.operation("forceUpdate", "big", ["n": .int(Int64(number))])
                    return client.message(.recordsModify, JSONValue.modify("Notes", [change]).encoded())
                }
                try await withThrowingTaskGroup(of: Int64?.self) { group in
                    for request in requests {
                        group.addTask {
                            let reply = try await client.rpc.call(request, timeout: .seconds(90))
                            #expect(reply.body.count > 990_000)
                            return reply.properties.headers.int64(Header.status)
                        }
                    }
                    try await eventually("all requests wait") {
                        let queue = try await AMQPChannelSession.with(try stack.vhost.configuration()) {
                            try await $0.status(ofQueue: Queue.recordWrites)
                        }
                        return queue?.messageCount == count ? true : nil
                    }
                    try await setAlarm(true, stack)
                    do {
                        let service = try stack.launchService()
                        try await eventually("the first changes are committed", within: .seconds(30)) {
                            let commits = try? await service.metric("zonda_write_requests_total")
                            return commits ?? 0 > 0 ? true : nil
                        }
                        try await service.waitUntilNotReady(because: "the broker accepts no messages: publisher")
                        let peak = try await service.peakMemory() / 1_048_576
                        print("peak memory with \(count) answers of 1 MB to be written: \(peak) MiB")
                        #expect(peak < 250)
                    } catch {
                        try await setAlarm(false, stack)
                        throw error
                    }
                    try await setAlarm(false, stack)
                    for try await status in group { #expect(status == 200) }
                }
                #expect(try await client.record("Notes", "big").values["t"] != nil)
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

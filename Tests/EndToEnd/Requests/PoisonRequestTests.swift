import AMQPClient
import CloudKitWire
import Glibc
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Poison requests in queues that do not count deliveries, and malicious headers.
    @Suite(.timeLimit(.minutes(5))) struct PoisonRequestTests {
        @Test func aReadThatEndsTheServiceEndsTwoOfThemAndNoMore() async throws {
            try await ServiceStack.with { stack in
                let faults = ["ZONDA_FAULTS": "true"]
                let poison = stack.client().with(Header.fault, "die-on-receipt").message(.zonesList, Array("{}".utf8))
                try await stack.publisher.publish(poison)
                for _ in 0..<2 {
                    let service = try stack.launchService(.record, faults)
                    #expect(try await service.exit(within: .seconds(60)) == .signal(SIGKILL))
                }
                let service = try await stack.startService(.record, faults)
                let client = stack.client()
                #expect(try await client.zones("create", "Notes").count == 1)
                #expect(try await client.ask(.zonesList)["zones"]?.array?.count == 2)
                #expect(service.errors == [])
            }
        }

        /// The broker's time for nested headers is quadratic, so a message can take 64 times as long in frames of 128 KiB.
        @Test func aProducerCannotSendLargerFramesThanHeadersNeed() async throws {
            try await ServiceStack.with { stack in
                _ = try await BrokerWire.open(stack.vhost.url)
                await #expect(throws: TestFailure.self) {
                    try await BrokerWire.open(stack.vhost.url, maxFrame: BrokerFrame.maxBytes + 1)
                }
            }
        }

        @Test func nestedHeadersAreAnsweredAndEndNothing() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService()
                // The deepest nesting that fits in a frame: each level takes six of its 16,384 bytes.
                try await stack.environment.control(
                    "erlang",
                    """
                    Nested = lists:foldl(fun(_, Inner) -> [{<<>>, table, Inner}] end, [], lists:seq(1, 2680)),
                    rabbit_basic:publish(
                        rabbit_misc:r(<<"\(stack.vhost.name)">>, exchange, <<"\(Exchange.requests)">>),
                        <<"records.modify">>, [{headers, Nested}, {message_id, <<"nested">>}, {delivery_mode, 2}],
                        <<"{}">>).
                    """)
                try await TestQueue.withDeliveries(of: Queue.deadLetters, try stack.vhost.configuration()) { box in
                    let dead = try await box.first("the nested headers") { $0.properties.messageID == "nested" }
                    #expect(dead.properties.headers.string(Header.deadReason) == "header_missing")
                }
                try await stack.client().zones("create", "Notes")
                #expect(service.exit == nil)
                #expect(service.errors == [])
            }
        }

        @Test func aCorrelationIDThatIsNotUTF8ComesBackAsItWas() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService()
                let configuration = try stack.vhost.configuration()
                let queue = "reply.\(TestEnvironment.uniqueName("raw"))"
                try await AMQPChannelSession.with(configuration) { session in
                    _ = try await session.declare(AMQPQueue(name: queue))
                }
                try await TestQueue.withDeliveries(of: queue, configuration) { box in
                    // 255 bytes that are not valid UTF-8. As replacement characters, they would not fit in the
                    // property.
                    let id = [UInt8](repeating: 0xFE, count: 255)
                    var message = stack.client().message(.zonesList, Array("{}".utf8))
                    message.properties.replyTo = queue
                    message.properties.correlationBytes = id
                    try await stack.publisher.publish(message)
                    let answer = try await box.first("the answer") { _ in true }
                    #expect(answer.properties.correlationBytes == id)
                    #expect(try TestReply(answer).status == 200)
                }
            }
        }
    }
}

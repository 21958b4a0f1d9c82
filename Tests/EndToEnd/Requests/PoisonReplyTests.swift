import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Requests whose answers would make the broker close the service's connection.
    @Suite(.timeLimit(.minutes(5))) struct PoisonReplyTests {
        @Test func inventedReplyAddressesDisturbNoOtherClient() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService()
                let load = try await LoadRun(on: stack) {
                    for reply in ["amq.rabbitmq.reply-to.a.b"] + (0..<4).map(Self.replyOfLostNode) {
                        for operation in [ServiceMessages.Operation.serviceCapabilities, .recordsQuery, .zonesModify] {
                            var message = stack.client().message(operation, Array("{}".utf8))
                            message.properties.replyTo = reply
                            try await stack.publisher.publish(message)
                        }
                    }
                    // Requests with an address of another form are never answered. Answers to the other addresses are
                    // given up, once for each address.
                    try await TestQueue.withDeliveries(of: Queue.deadLetters, try stack.vhost.configuration()) { box in
                        for operation in ["service.capabilities", "records.query", "zones.modify"] {
                            let dead = try await box.first(operation) { $0.routingKey == operation }
                            #expect(dead.properties.headers.string(Header.deadReason) == "reply_to_not_allowed")
                        }
                    }
                    try await eventually("the answers are given up", within: .seconds(60)) {
                        try await service.metric("zonda_broker_messages_given_up_total{client=\"publisher\"}") >= 12
                            ? true : nil
                    }
                }
                try await load.expectNothingLost()
            }
        }

        @Test func anAnswerOverTheLargestMessageIsRefusedForItsCallerAlone() async throws {
            try await ServiceStack.with { stack in
                // 1 MiB is the minimum of the setting.
                let service = try await stack.startService(.record, ["ZONDA_AMQP_MAX_MESSAGE": "1048576"])
                let client = stack.client()
                try await client.zones("create", "Notes")
                for index in 0..<3 {
                    let text = String(repeating: "a", count: 400_000)
                    try await client.save("Notes", "n\(index)", ["t": .string(text)])
                }
                let load = try await LoadRun(on: stack) {
                    for _ in 0..<10 {
                        let reply = try await client.ask(.changesZone, ["zones": [["zoneID": .zone("Notes")]]])
                        // An operation whose pages are limited by the written bytes answers with `moreComing` instead.
                        let isBounded = reply["zones"]?[0]?["moreComing"] == true
                        #expect(isBounded || reply.body.reasonCode == "reply_too_large")
                    }
                }
                // (The counts of all zones differ, because the caller's zone is not part of the load.)
                for lost in ["missing", "stale", "staleReads", "unverified", "failed"] {
                    #expect(load.report[lost] == 0, "\(lost)")
                }
                #expect(try await service.metric("zonda_publishes_refused_total") == 0)
            }
        }

        /// Returns an address in the broker's form that names a node outside its cluster. RabbitMQ 3.10 closes the
        /// connection for it.
        private static func replyOfLostNode(_ number: Int) -> String {
            let words = ["AAAAZAAAAABjeutA", "AAAAZQAAAABjeutA", "AAAAZgAAAABjeutA", "AAAAZwAAAABjeutA"]
            return "amq.rabbitmq.reply-to.g1h3C3JlcGx5QDEyMzQ1\(words[number]).a2tra2tra2tra2tra2traw=="
        }
    }
}

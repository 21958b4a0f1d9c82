import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// If no caller can receive the error of a request, the request is dead-lettered for operators.
    ///
    /// The tests run side by side, so each one listens in a queue of its own: a consumer of the queue of dead letters
    /// would take those of the other tests.
    @Suite(.sharedStack, .timeLimit(.minutes(2))) struct DeadLetterTests {
        @Test func replyToOfAServicesQueueIsNeverPublishedTo() async throws {
            let stack = try SharedStack.current
            let client = try await client()
            var message = client.message(.recordsModify, Self.body("a"))
            message.properties.replyTo = Queue.recordWrites
            let dead = try await deadLetter(of: message)
            #expect(dead.properties.headers.string(Header.deadReason) == "reply_to_not_allowed")
            #expect(dead.properties.replyTo == nil)
            #expect(dead.routingKey == "records.modify")
            #expect(dead.body == message.body)
            #expect(try await client.record("Notes", "a").errorCode == "NOT_FOUND")
            let status = try await AMQPChannelSession.with(try stack.vhost.configuration()) {
                try await $0.status(ofQueue: Queue.recordWrites)
            }
            #expect(status?.messageCount == 0)
        }

        @Test func replyToOfAQueueForRepliesIsAnswered() async throws {
            let stack = try SharedStack.current
            let client = try await client()
            let queue = "reply.\(client.user)"
            try await AMQPChannelSession.with(try stack.vhost.configuration()) { session in
                _ = try await session.declare(AMQPQueue(name: queue))
            }
            var message = client.message(.recordsModify, Self.body("a"))
            message.properties.replyTo = queue
            message.properties.correlationID = "seven"
            try await TestQueue.withDeliveries(of: queue, try stack.vhost.configuration()) { box in
                try await stack.publisher.publish(message)
                let delivery = try await box.first("the reply")
                #expect(delivery.properties.correlationID == "seven")
                #expect(try TestReply(delivery).body.recordNames == ["a"])
            }
        }

        @Test func malformedMessageIsKeptWithItsReasonAndItsNeighboursAreExecuted() async throws {
            let stack = try SharedStack.current
            let client = try await client()
            var malformed = client.message(.recordsModify, Array("not JSON".utf8))
            malformed.properties.contentType = "text/plain"
            let before = client.message(.recordsModify, Self.body("before"))
            let after = client.message(.recordsModify, Self.body("after"))
            try await TestQueue.withBinding(to: Exchange.dead, "#", try stack.vhost.configuration()) { box in
                for result in await stack.publisher.publish([before, malformed, after]) { try result.get() }
                let id = malformed.properties.messageID
                let dead = try await box.first("the malformed message") { $0.properties.messageID == id }
                #expect(dead.properties.headers.string(Header.deadReason) == "invalid_json")
                #expect(dead.properties.headers.string(Header.container) == stack.container)
                #expect(dead.body == malformed.body)
                let error = try JSONValue(
                    parsing: try #require(dead.properties.headers.string(Header.deadError)))
                #expect(error.errorCode == "BAD_REQUEST")
                let neighbours = [before.properties.messageID, after.properties.messageID]
                #expect(!box.elements.contains { neighbours.contains($0.properties.messageID) })
            }
            // A later write to the same zone is answered, so both requests have been processed.
            try await client.save("Notes", "last", ["n": 1])
            #expect(Set(try await client.changes("Notes").recordNames) == ["before", "after", "last"])
        }

        @Test func operationThatFailsForGoodWithoutAReplyLeavesACopy() async throws {
            let client = try await client()
            let refused = JSONValue.modify("Notes", [.operation("update", "missing", ["n": 1])]).encoded()
            let dead = try await deadLetter(of: client.message(.recordsModify, refused))
            #expect(dead.properties.headers.string(Header.deadReason) == "record_not_found")
        }

        @Test func unknownOperationWithoutAReplyIsKept() async throws {
            let client = try await client()
            var message = client.message(.recordsModify, Self.body("a"))
            message.routingKey = "records.explode"
            let dead = try await deadLetter(of: message)
            #expect(dead.properties.headers.string(Header.deadReason) == "operation_unknown")
            #expect(dead.routingKey == "records.explode")
        }

        @Test func requestPastItsDeadlineIsCountedAndNotExecuted() async throws {
            let stack = try SharedStack.current
            let client = try await client()
            let service = try #require(stack.services.first)
            let before = try await service.metric("zonda_requests_expired_total")
            let late = client.with(Header.deadline, 1_700_000_000_000)
            let read = JSONValue.object([.init("records", [["recordName": "a"]])]).encoded()
            for message in [late.message(.recordsModify, Self.body("a")), late.message(.recordsLookup, read)] {
                try await stack.publisher.publish(message)
            }
            // These requests come from the same two queues, after the dead letters.
            try await client.save("Notes", "b", ["n": 1])
            #expect(try await client.record("Notes", "a").errorCode == "NOT_FOUND")
            #expect(try await service.metric("zonda_requests_expired_total") == before + 2)
        }

        private static func body(_ name: String) -> [UInt8] {
            JSONValue.modify("Notes", [.operation("create", name, ["n": 1])]).encoded()
        }

        private func client() async throws -> TestClient {
            let client = try SharedStack.current.client()
            try await client.zones("create", "Notes")
            return client
        }

        /// Publishes a message and waits until it is among the dead letters.
        private func deadLetter(of message: AMQPMessage) async throws -> AMQPDelivery {
            let stack = try SharedStack.current
            let id = message.properties.messageID
            return try await TestQueue.withBinding(to: Exchange.dead, "#", try stack.vhost.configuration()) { box in
                try await stack.publisher.publish(message)
                return try await box.first("the dead letter") { $0.properties.messageID == id }
            }
        }
    }
}

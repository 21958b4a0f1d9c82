import AMQPClient
import ServiceMessages
import Testing

/// A write that waits in the broker returns as it was sent.
struct DelayedRequestTests {
    @Test func whatComesBackIsWhatWasSent() throws {
        let sent = Self.delivery(
            Exchange.requests, "records.modify",
            AMQPProperties(
                messageID: "m", userID: "producer", headers: ["zonda-user": "_u", "x-delivery-count": .int64(1)]))
        let message = DelayedRequest.message(for: sent)
        #expect(message.exchange == Exchange.delay && message.routingKey == DelayedRequest.queue)
        #expect(message.properties.userID == nil && message.properties.messageID == "m")
        #expect(message.properties.headers["x-delivery-count"] == nil)
        var properties = message.properties
        properties.headers["x-death"] = .string("the broker's")
        let back = DelayedRequest.original(of: Self.delivery(Exchange.delay, Queue.recordWrites, properties))
        #expect(back.exchange == Exchange.requests && back.routingKey == "records.modify")
        #expect(back.isRedelivered && back.deliveryCount == 1)
        #expect(back.properties == sent.properties)
        #expect(back.body == sent.body)
    }

    @Test func aSendersOwnHeadersMeanNothing() {
        let forged = Self.delivery(
            Exchange.requests, "records.modify",
            AMQPProperties(
                userID: "producer", headers: ["zonda-delayed-operation": "zones.purge", "zonda-delayed-user": "admin"]))
        let read = DelayedRequest.original(of: forged)
        #expect(read.routingKey == "records.modify" && read.properties.userID == "producer")
    }

    @Test func theWaitEndsInTheQueueOfWrites() throws {
        let queue = try #require(Topology.all.queues.first { $0.name == DelayedRequest.queue })
        #expect(queue.name == "record.writes.wait.5s")
        #expect(queue.arguments.int64("x-message-ttl") == 5000)
        let key = queue.arguments.string("x-dead-letter-routing-key")
        let arrivals = Topology.all.bindings.filter { $0.exchange == Exchange.delay && $0.routingKey == key }
        #expect(arrivals.map(\.queue) == [Queue.recordWrites])
    }

    private static func delivery(
        _ exchange: String, _ routingKey: String, _ properties: AMQPProperties
    ) -> AMQPDelivery {
        AMQPDelivery(
            queue: Queue.recordWrites, deliveryTag: 1, exchange: exchange, routingKey: routingKey,
            properties: properties, body: Array("{}".utf8))
    }
}

import AMQPClient
import ServiceMessages
import Testing

@testable import SubscriptionService

struct DropCounterTests {
    @Test func dropsAreCountedByTheQueueThatHadNoRoom() {
        func dropped(_ queue: AMQPValue?, _ reason: AMQPValue?) -> AMQPDelivery {
            var headers: AMQPTable = [:]
            headers["x-first-death-queue"] = queue
            headers["x-first-death-reason"] = reason
            return AMQPDelivery(
                queue: Queue.subscriptionDrops, deliveryTag: 1, properties: AMQPProperties(headers: headers), body: [])
        }
        let drops = DropCounter.drops([
            dropped("client.a", "maxlen"), dropped("client.b", "maxlen"), dropped("client.a", "maxlen"),
            dropped("client.c", "expired"), dropped("record.writes", "maxlen"), dropped(nil, "maxlen"),
            dropped(1, "maxlen"), dropped("client.a", nil),
        ])
        #expect(drops == ["a": 2, "b": 1])
    }
}

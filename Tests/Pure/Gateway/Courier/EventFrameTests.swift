import AMQPClient
import NIOCore
import Testing

@testable import Gateway

struct EventFrameTests {
    private func frame(_ body: String, id: String? = "5f2d") -> String {
        let delivery = AMQPDelivery(
            queue: "client.1", deliveryTag: 1, properties: AMQPProperties(messageID: id), body: Array(body.utf8))
        return String(buffer: EventFrame.event(delivery))
    }

    @Test func anEventHasTheNotificationsIDAndBytes() {
        #expect(frame(#"{"ck":{"ce":2}}"#) == "id: 5f2d\ndata: {\"ck\":{\"ce\":2}}\n\n")
    }

    @Test(arguments: ["a\nid: b", "a\rb", "a\u{0}b", String(repeating: "x", count: 256)])
    func anIDThatWouldBreakTheStreamIsOmitted(_ id: String) {
        #expect(frame("{}", id: id) == "data: {}\n\n")
    }

    @Test func everyLineOfANotificationIsData() {
        #expect(frame("{\n}\r\n", id: nil) == "data: {\ndata: }\ndata: \ndata: \n\n")
    }
}

struct EventWindowTests {
    private let start = ContinuousClock.now

    private func delivery(_ number: Int, isRedelivered: Bool = false) -> AMQPDelivery {
        AMQPDelivery(
            queue: "client.1", deliveryTag: UInt64(number), isRedelivered: isRedelivered,
            properties: AMQPProperties(messageID: "\(number)"), body: [])
    }

    @Test func anEventLeavesTheWindowAtItsAge() {
        var window = EventWindow(life: .seconds(10))
        window.add(delivery(1), at: start)
        window.add(delivery(2), at: start + .seconds(5))
        #expect(!window.hasDue(at: start + .seconds(9)))
        let due = window.takeDue(at: start + .seconds(10))
        #expect(due.map(\.deliveryTag) == [1])
        #expect(window.count == 1)
    }

    @Test func theOldestEventsLeaveACrowdedWindow() {
        var window = EventWindow(life: .seconds(10))
        for number in 1...Int(EventWindow.prefetch) { window.add(delivery(number), at: start) }
        #expect(window.isCrowded)
        let half = Int(EventWindow.prefetch) / 2
        let due = window.takeDue(at: start)
        #expect(due.map(\.deliveryTag) == (1...half).map { UInt64($0) })
        #expect(!window.isCrowded)
    }

    @Test func aRedeliveredEventIsNotSentAgainAndItsLastDeliveryIsAcknowledged() {
        var window = EventWindow(life: .seconds(10))
        window.add(delivery(1), at: start)
        var again = delivery(1, isRedelivered: true)
        again.deliveryTag = 7
        let renewed = [
            window.renew(again), window.renew(delivery(1)), window.renew(delivery(2, isRedelivered: true)),
        ]
        #expect(renewed == [true, false, false])
        let due = window.takeDue(at: start + .seconds(10))
        #expect(due.map(\.deliveryTag) == [7])
    }
}

struct SeenEventsTests {
    private func deliveries(_ ids: ClosedRange<Int>, isRedelivered: Bool = true) -> [AMQPDelivery] {
        ids.map {
            AMQPDelivery(
                queue: "client.1", deliveryTag: UInt64($0), isRedelivered: isRedelivered,
                properties: AMQPProperties(messageID: "\($0)"), body: [])
        }
    }

    @Test func withoutALastEventNothingIsSkipped() {
        let sorted = SeenEvents().sort(deliveries(1...3))
        #expect(sorted.seen.isEmpty && sorted.unseen.count == 3)
    }

    @Test func onlyEventsThatThisClientWasSentAreSkipped() {
        // Event 2 was sent by another stream.
        let sorted = SeenEvents(["1", "3"]).sort(deliveries(1...4))
        #expect(sorted.seen.map(\.deliveryTag) == [1, 3])
        #expect(sorted.unseen.map(\.deliveryTag) == [2, 4])
    }

    @Test func anEventThatWasNotRedeliveredIsSent() {
        let sorted = SeenEvents(["1"]).sort(deliveries(1...1, isRedelivered: false))
        #expect(sorted.seen.isEmpty && sorted.unseen.count == 1)
    }
}

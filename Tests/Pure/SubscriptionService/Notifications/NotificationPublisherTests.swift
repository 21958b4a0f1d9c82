import AMQPClient
import Foundation
import RequestServing
import ServiceRuntime
import Synchronization
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

/// The handling of notifications that the broker does not accept.
struct NotificationPublisherTests {
    /// A fake broker with prepared answers, which stores the messages that it receives.
    private final class Broker: Sendable {
        let metrics = ServiceMetrics()
        private let sent = Mutex<[[String]]>([])
        /// The IDs of the messages in each batch.
        var batches: [[String]] { sent.withLock { $0 } }
        /// The successive errors for each message. After the last one, the message is accepted.
        private let answers: Mutex<[String: [AMQPError.Code]]>

        init(_ answers: [String: [AMQPError.Code]]) { self.answers = Mutex(answers) }

        var publisher: NotificationPublisher {
            NotificationPublisher(
                send: { messages in
                    let ids = messages.map(\.routingKey)
                    self.sent.withLock { $0.append(ids) }
                    return ids.map { id in
                        let code = self.answers.withLock { $0[id]?.isEmpty == false ? $0[id]?.removeFirst() : nil }
                        return code.map { .failure(AMQPError($0, "ordered")) } ?? .success(())
                    }
                }, clock: ContinuousClock(), metrics: SubscriptionMetrics(metrics), logger: testLogger)
        }

        func count(_ kind: NotificationKind) -> Int {
            Int(metrics.value(of: SubscriptionMetrics.notifications, ["kind": kind.rawValue]))
        }
    }

    private static let (one, other) = (UUID(), UUID())

    /// Messages of two zones, mixed. `u` is a message to a user.
    private let messages = [("a1", one), ("b1", other), ("a2", one), ("b2", other), ("u", one)].map { id, zone in
        NotificationMessage(
            message: AMQPMessage(exchange: "", routingKey: id, body: []), incarnation: zone,
            kind: id == "u" ? .user : .zone)
    }

    @Test func whatIsRefusedOnceIsRepeatedWithWhatFollowsInItsZone() async throws {
        let broker = Broker(["a2": [.nacked]])
        let lost = try await broker.publisher.publish(messages)
        #expect(lost.count == 0)
        #expect(broker.batches == [["a1", "b1", "a2", "b2", "u"], ["a2", "u"]])
        #expect(broker.count(.zone) == 4 && broker.count(.user) == 1)
    }

    @Test(arguments: [AMQPError.Code.nacked, .refused, .givenUp]) func whatIsRefusedTwiceIsLost(_ code: AMQPError.Code)
        async throws
    {
        let broker = Broker(["b1": [code, code], "u": [code, code]])
        let lost = try await broker.publisher.publish(messages)
        #expect(lost.count == 2)
        #expect(broker.batches == [["a1", "b1", "a2", "b2", "u"], ["b1", "b2", "u"]])
        #expect(broker.count(.zone) == 3 && broker.count(.user) == 0)
        #expect(broker.metrics.value(of: SubscriptionMetrics.refused) == 2)
    }

    @Test func otherErrorsAreRetried() async throws {
        let broker = Broker(["a1": [.channelClosed, .channelClosed], "b1": [.nacked]])
        let lost = try await broker.publisher.publish(messages)
        #expect(lost.count == 0)
        #expect(broker.batches == Array(repeating: ["a1", "b1", "a2", "b2", "u"], count: 3))
        #expect(broker.count(.zone) == 4)
    }

    @Test(arguments: [AMQPError.Code.closed, .cancelled, .notRunning]) func theEndIsNoRefusal(_ code: AMQPError.Code)
        async
    {
        let broker = Broker(["a1": [.channelClosed], "b1": [code]])
        await #expect(throws: ServiceStopping.self) { try await broker.publisher.publish(messages) }
        #expect(broker.batches.count == 1)
    }
}

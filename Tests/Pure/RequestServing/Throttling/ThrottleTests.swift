import AMQPClient
import CloudKitModel
import CloudKitWire
import ServiceMessages
import ServiceRuntime
import Synchronization
import Testing

@testable import RequestServing

struct ThrottleTests {
    static let alice = "_" + String(repeating: "a", count: 32)
    static let bob = "_" + String(repeating: "b", count: 32)

    /// A clock for the throttle that advances only on request.
    final class Clock: Sendable {
        private let instant = Mutex(ContinuousClock.now)
        var now: ContinuousClock.Instant { instant.withLock { $0 } }
        func advance(by time: Duration) { instant.withLock { $0 += time } }

        func reader(_ configuration: ThrottleConfiguration) -> RequestReader {
            RequestReader(
                limits: Limits(),
                throttle: Throttle(configuration, metrics: ServiceMetrics()) { self.now })
        }
    }

    /// Returns the error with which a request is refused; nil if it is accepted.
    static func refusal(
        _ reader: RequestReader, user: String = alice, exchange: String = Exchange.requests, isRedelivered: Bool = false
    ) throws -> JSONValue? {
        let delivery = AMQPDelivery(
            queue: Queue.recordReads, deliveryTag: 1, isRedelivered: isRedelivered, exchange: exchange,
            routingKey: "zones.lookup",
            properties: AMQPProperties(headers: [
                Header.container: "c", Header.environment: "development", Header.database: "private",
                Header.user: .string(user),
            ]), body: [])
        switch reader.open(delivery, now: 0) {
        case .refused(let answer, _):
            #expect(answer.status == 429)
            return try JSONValue(parsing: answer.body)
        case .sound, .expired: return nil
        }
    }

    @Test func aUserOverTheRateLearnsWhenToRetryAndIsServedThen() throws {
        let clock = Clock()
        let reader = clock.reader(ThrottleConfiguration(user: .init(perSecond: 1, burst: 2)))
        for _ in 1...2 { #expect(try Self.refusal(reader) == nil) }
        let refusal = try #require(try Self.refusal(reader))
        #expect(refusal["serverErrorCode"] == "THROTTLED" && refusal["ckErrorCode"] == 7)
        #expect(refusal["reasonCode"] == "throttled" && refusal["field"] == "user" && refusal["limit"] == 1)
        #expect(refusal["retryAfter"] == 1)
        #expect(try Self.refusal(reader, user: Self.bob) == nil)
        clock.advance(by: .seconds(1))
        #expect(try Self.refusal(reader) == nil)
        #expect(try Self.refusal(reader) != nil)
    }

    @Test func aRefusedRequestTakesNoTokenOfItsContainer() throws {
        let reader = Clock().reader(
            ThrottleConfiguration(container: .init(perSecond: 1, burst: 3), user: .init(perSecond: 1, burst: 1)))
        #expect(try Self.refusal(reader) == nil)
        for _ in 1...10 { #expect(try Self.refusal(reader)?["field"] == "user") }
        #expect(try Self.refusal(reader, user: Self.bob) == nil)
        #expect(try Self.refusal(reader, user: "_" + String(repeating: "c", count: 32)) == nil)
        let last = try Self.refusal(reader, user: "_" + String(repeating: "d", count: 32))
        #expect(last?["field"] == "container")
    }

    @Test func retryAfterIsWholeSecondsAndNeverLess() throws {
        let clock = Clock()
        let slow = clock.reader(ThrottleConfiguration(container: .init(perSecond: 1, burst: 1)))
        #expect(try Self.refusal(slow) == nil)
        clock.advance(by: .milliseconds(10))
        #expect(try Self.refusal(slow)?["retryAfter"] == 1)
        let fast = clock.reader(ThrottleConfiguration(container: .init(perSecond: 1000, burst: 1)))
        #expect(try Self.refusal(fast) == nil)
        #expect(try Self.refusal(fast)?["retryAfter"] == 1)
    }

    @Test func servicesRequestsAndWhatComesAgainAreNotCounted() throws {
        let reader = Clock().reader(ThrottleConfiguration(user: .init(perSecond: 1, burst: 1)))
        for _ in 1...3 {
            #expect(try Self.refusal(reader, exchange: Exchange.internal) == nil)
            #expect(try Self.refusal(reader, isRedelivered: true) == nil)
        }
        #expect(try Self.refusal(reader) == nil)
        #expect(try Self.refusal(reader) != nil)
    }
}

import Testing

@testable import AMQPClient

@Suite struct DirectReplyRoutesTests {
    private static let key = "a2tra2tra2tra2tra2traw=="
    /// Two channels of one node, and one channel of another node.
    private let one = "amq.rabbitmq.reply-to.g1h2AAtyZXBseUAxMjM0NQAAAGQAAAAAY3rrQA==.\(key)"
    private let other = "amq.rabbitmq.reply-to.g1h3C3JlcGx5QDEyMzQ1AAAAZAAAAABjeutA.\(key)"
    private let elsewhere = "amq.rabbitmq.reply-to.g1h2AAdyZXBseUA1AAAAZQAAAAAAAAAH.\(key)"
    private let now = ContinuousClock.now

    @Test func aMadeUpChannelIsClosedAloneForAWhile() {
        var routes = DirectReplyRoutes()
        routes.reached(other)
        routes.gaveUp(one, now: now)
        #expect(routes.isClosed(one, now: now))
        #expect(!routes.isClosed(other, now: now))
        #expect(!routes.isClosed(one, now: now + DirectReplyRoutes.closedTime))
    }

    @Test func aChannelThatWasReachedOnceTakesItsNodeAlong() {
        var routes = DirectReplyRoutes()
        routes.reached(one)
        routes.gaveUp(one, now: now)
        #expect(routes.isClosed(other, now: now))
        #expect(!routes.isClosed(elsewhere, now: now))
        #expect(!routes.isClosed("reply.a", now: now))
    }
}

import Testing

@testable import SubscriptionService

struct BatchQueueTests {
    @Test func aBatchQueueIsNotOverBeforeItsAnswers() async throws {
        let queue = BatchQueue<Int>()
        queue.expectAnswers(to: 1)
        queue.finish()
        async let all = queue.next()
        queue.answer(7, to: 1)
        #expect(await all == [7])
        #expect(await queue.next() == nil)
    }
}

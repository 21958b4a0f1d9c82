import Testing

@testable import AMQPClient

@Suite(.timeLimit(.minutes(1))) struct DeliveryBufferTests {
    private func delivery(_ tag: UInt64) -> AMQPDelivery {
        AMQPDelivery(queue: "q", deliveryTag: tag, body: [])
    }

    @Test func whatArrivedComesAsOneBatch() async {
        let batches = AMQPDeliveryBatches()
        batches.buffer.append([delivery(1)])
        batches.buffer.append([delivery(2), delivery(3)])
        var iterator = batches.makeAsyncIterator()
        #expect(await iterator.next()?.map(\.deliveryTag) == [1, 2, 3])
    }

    @Test func sequenceEndsAfterWhatHasArrived() async {
        let batches = AMQPDeliveryBatches()
        batches.buffer.append([delivery(1)])
        batches.buffer.finish()
        var iterator = batches.makeAsyncIterator()
        #expect(await iterator.next()?.count == 1)
        #expect(await iterator.next() == nil)
    }

    @Test func waitingTaskGetsTheNextBatch() async {
        let batches = AMQPDeliveryBatches()
        async let batch = batches.buffer.next()
        batches.buffer.append([delivery(4)])
        #expect(await batch?.map(\.deliveryTag) == [4])
    }

    @Test func cancelledIterationLosesNothing() async {
        let batches = AMQPDeliveryBatches()
        let task = Task { await batches.buffer.next() }
        task.cancel()
        #expect(await task.value == nil)
        batches.buffer.append([delivery(5)])
        #expect(await batches.buffer.next()?.map(\.deliveryTag) == [5])
    }

    @Test func deliveriesOfALostConnectionAreForgotten() async {
        let batches = AMQPDeliveryBatches()
        batches.buffer.append([delivery(1)])
        batches.buffer.removeAll()
        batches.buffer.append([delivery(2)])
        #expect(await batches.buffer.next()?.map(\.deliveryTag) == [2])
    }
}

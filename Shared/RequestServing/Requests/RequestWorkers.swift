package import AMQPClient
internal import ServiceMessages
internal import Synchronization

/// A few tasks that answer requests one by one, as many at once as there are tasks.
///
/// A request that has come back to a queue which does not count deliveries is acknowledged before it is worked at: a
/// request that ends the process ends two processes at most, and its caller, whose answer is lost, asks again.
package final class RequestWorkers: Sendable {
    /// Past this many bytes of all workers an answer is confirmed before its worker goes on: that bounds what waits to be
    /// sent, and costs nothing until then.
    private static let maxUnconfirmedBytes = 4 << 20

    private let count: Int
    private let consumer: AMQPConsumer
    private let responder: Responder
    private let metrics: RequestMetrics
    private let handle: @Sendable (OpenedRequest) async -> Answer?
    private let requests = WorkQueue<OpenedRequest>()
    private let unconfirmedBytes = Atomic(0)

    /// Workers that answer with `handle`, or not at all when it returns nil: then the service is ending. What waits is
    /// bounded by the consumer's prefetch.
    package init(
        count: Int, consumer: AMQPConsumer, responder: Responder, metrics: RequestMetrics,
        handle: @escaping @Sendable (OpenedRequest) async -> Answer?
    ) {
        self.count = count
        self.consumer = consumer
        self.responder = responder
        self.metrics = metrics
        self.handle = handle
    }

    /// Adds a request.
    package func submit(_ request: OpenedRequest) { requests.add(request) }

    /// No more will come: ``run()`` ends when all are answered.
    package func finish() { requests.finish() }

    /// Answers until finished.
    package func run() async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<count {
                group.addTask { [self] in
                    while let request = await requests.next() { await answer(request) }
                }
            }
        }
    }

    private func answer(_ request: OpenedRequest) async {
        guard !consumer.isStale(request.delivery) else { return metrics.wentBack() }
        guard !request.context.isExpired(at: SystemClock.milliseconds()) else {
            metrics.expired()
            return consumer.acknowledge([request.delivery])
        }
        if request.delivery.hasComeBackUncounted {
            // Should it end the process, it ends no other.
            guard await consumer.acknowledgeNow(request.delivery) else { return metrics.wentBack() }
        }
        let answer = await WorkOrigin.$current.withValue(WorkOrigin(request.context)) { await handle(request) }
        guard let answer else { return }
        let response = Response(request.delivery, answer, requestID: request.context.requestID)
        let bytes = answer.body.count
        let unconfirmed = unconfirmedBytes.add(bytes, ordering: .relaxed).newValue
        if unconfirmed > Self.maxUnconfirmedBytes {
            await responder.sendAndWait([response], events: answer.events, consumer: consumer)
            unconfirmedBytes.subtract(bytes, ordering: .relaxed)
        } else {
            responder.send([response], events: answer.events, consumer: consumer) { [self] _ in
                unconfirmedBytes.subtract(bytes, ordering: .relaxed)
            }
        }
    }
}

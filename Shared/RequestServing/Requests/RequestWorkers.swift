package import AMQPClient
internal import ServiceMessages
internal import Synchronization

/// A fixed number of tasks, each of which answers one request at a time.
///
/// A redelivered request from a queue that does not count deliveries is acknowledged before it is executed. A request
/// that crashes the process therefore crashes at most two processes. Such a request gets no answer, and the caller must
/// send it again.
package final class RequestWorkers: Sendable {
    /// The largest total size of the unconfirmed answers of all workers, in bytes. Above this size, a worker waits
    /// until its answer is confirmed before it continues. This bounds the memory for unsent answers, and costs nothing
    /// below the limit.
    private static let maxUnconfirmedBytes = 4 << 20

    private let count: Int
    private let consumer: AMQPConsumer
    private let responder: Responder
    private let metrics: RequestMetrics
    private let handle: @Sendable (OpenedRequest) async -> Answer?
    private let requests = WorkQueue<OpenedRequest>()
    private let unconfirmedBytes = Atomic(0)

    /// Creates workers that answer requests by calling `handle`. A nil answer means that the service is shutting down;
    /// the request then remains unanswered. The consumer's prefetch bounds the number of queued requests.
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

    /// Adds a request to the queue.
    package func submit(_ request: OpenedRequest) { requests.add(request) }

    /// Closes the request queue. ``run()`` returns when all requests in the queue have been handled.
    package func finish() { requests.finish() }

    /// Answers requests until ``finish()`` has been called and the queue is empty.
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
            // If the request crashes this process, it must not be delivered to another one.
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

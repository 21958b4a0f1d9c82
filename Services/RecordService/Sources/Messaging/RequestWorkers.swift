internal import AMQPClient
internal import ServiceMessages

/// A few tasks that answer requests one by one, as many at once as there are tasks.
final class RequestWorkers: Sendable {
    private let count: Int
    private let consumer: AMQPConsumer
    private let responder: Responder
    private let handle: @Sendable (OpenedRequest) async -> Answer
    private let requests = WorkQueue<OpenedRequest>()

    /// Workers that answer with `handle`. What waits is bounded by the consumer's prefetch.
    init(
        count: Int, consumer: AMQPConsumer, responder: Responder,
        handle: @escaping @Sendable (OpenedRequest) async -> Answer
    ) {
        self.count = count
        self.consumer = consumer
        self.responder = responder
        self.handle = handle
    }

    /// Adds a request.
    func submit(_ request: OpenedRequest) { requests.add(request) }

    /// No more will come: ``run()`` ends when all are answered.
    func finish() { requests.finish() }

    /// Answers until finished.
    func run() async {
        await withDiscardingTaskGroup { group in
            for _ in 0..<count {
                group.addTask { [self] in
                    while let request = await requests.next() {
                        let answer = await handle(request)
                        responder.send([Responder.Response(request.delivery, answer)]) { [consumer] deliveries in
                            consumer.acknowledge(deliveries)
                        }
                    }
                }
            }
        }
    }
}

package import AMQPClient
internal import CloudKitModel
internal import ServiceMessages

/// An intake that takes requests and dead letters from their queues and passes the requests to workers.
package struct RequestIntake: Sendable {
    private let consumer: AMQPConsumer
    private let deadQueue: String
    private let reader: RequestReader
    private let workers: RequestWorkers
    private let responder: Responder
    private let metrics: RequestMetrics

    /// Creates an intake for the deliveries of `consumer`. Deliveries from `deadQueue` are requests that the broker
    /// dead-lettered.
    package init(
        consumer: AMQPConsumer, deadQueue: String, reader: RequestReader, workers: RequestWorkers,
        responder: Responder, metrics: RequestMetrics
    ) {
        self.consumer = consumer
        self.deadQueue = deadQueue
        self.reader = reader
        self.workers = workers
        self.responder = responder
        self.metrics = metrics
    }

    /// Takes deliveries until the consumer ends.
    package func run() async {
        for await deliveries in consumer.batches {
            for delivery in deliveries { take(delivery) }
        }
    }

    private func take(_ delivery: AMQPDelivery) {
        if delivery.queue == deadQueue { return answerDeadLetter(delivery) }
        metrics.took(delivery)
        switch reader.open(delivery, now: SystemClock.milliseconds()) {
        case .sound(let request):
            workers.submit(request)
        case .refused(let answer, let requestID):
            responder.send([Response(delivery, answer, requestID: requestID)], consumer: consumer)
        case .expired:
            metrics.expired()
            consumer.acknowledge([delivery])
        }
    }

    /// Answers the caller of a request that the broker dead-lettered. The copy for operators is in `dead-letters`. A
    /// service that published the dead letter itself has already answered the caller where possible.
    private func answerDeadLetter(_ delivery: AMQPDelivery) {
        let properties = delivery.properties
        guard properties.headers.string(Header.deadReason) == nil, reader.mayAnswer(delivery) else {
            return consumer.acknowledge([delivery])
        }
        metrics.took(delivery)
        let requestID = RequestContext.requestID(of: properties)
        let answer = Answer(
            error: .internalError(.requestDeadLettered), requestID: requestID,
            isForWeb: properties.headers.string(Header.interface) == RequestContext.web)
        responder.send([Response(delivery, answer, requestID: requestID)], consumer: consumer)
    }
}

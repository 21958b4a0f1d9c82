internal import AMQPClient
internal import CloudKitModel
internal import ServiceMessages
internal import ServiceRuntime

/// Takes reads, operators' requests and dead letters off their queues and hands them to workers.
struct ReadIntake: Sendable {
    let consumer: AMQPConsumer
    let reader: RequestReader
    let workers: RequestWorkers
    let responder: Responder
    let metrics: ServiceMetrics

    /// Until the consumer ends.
    func run() async {
        for await deliveries in consumer.batches {
            for delivery in deliveries { take(delivery) }
        }
    }

    private func take(_ delivery: AMQPDelivery) {
        if delivery.queue == Queue.recordDead { return bury(delivery) }
        switch reader.open(delivery, now: SystemClock.milliseconds()) {
        case .sound(let request):
            workers.submit(request)
        case .refused(let answer):
            responder.send([Response(delivery, answer)], consumer: consumer)
        case .expired:
            metrics.count(ServiceMetrics.Series("zonda_requests_expired_total"))
            consumer.acknowledge([delivery])
        }
    }

    /// A request that the broker gave up on: whoever waits for its answer is told. The copy for operators is in
    /// `dead-letters`; those that a service put there itself were answered then.
    private func bury(_ delivery: AMQPDelivery) {
        let properties = delivery.properties
        guard properties.headers.string(Header.deadReason) == nil, let replyTo = properties.replyTo,
            ReplyAddress.isAllowed(replyTo)
        else { return consumer.acknowledge([delivery]) }
        let requestID = properties.headers.string(Header.requestID) ?? properties.messageID ?? ""
        let answer = Answer(error: .internalError("request_dead_lettered"), requestID: requestID)
        responder.send([Response(delivery, answer)], consumer: consumer)
    }
}

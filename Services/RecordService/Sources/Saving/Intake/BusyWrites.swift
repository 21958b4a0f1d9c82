internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import CoreMetrics
internal import RequestServing
internal import ServiceMessages

/// Refuses or delays writes whose zone other processes have locked for too long. No part of these writes has been
/// executed. If a caller is waiting for an answer, the answer is `zone_busy`. A request without a reply-to is returned
/// to the broker, to be delivered again later (``DelayedRequest``), so that it does not occupy the consumer's window. A
/// request whose connection was lost is left to the broker, which redelivers it.
struct BusyWrites: Sendable {
    let publisher: AMQPPublisher
    let consumer: AMQPConsumer
    let responder: Responder
    let metrics: RecordMetrics
    let requestMetrics: RequestMetrics

    /// Refuses or delays `requests`. Requests that the broker does not accept are returned to `queue`, where they wait
    /// without a time limit.
    func take(_ requests: [WriteRequest], of queue: WriteQueue) {
        var refused: [Response] = []
        for request in requests where !leave(request.delivery) {
            guard request.delivery.isUnanswered else {
                refused.append(busy(request.body.zoneID ?? .defaultZone, request.delivery, request.context))
                continue
            }
            delay(request.delivery) {
                var kept = request
                kept.isKept = true
                queue.add([kept])
            }
        }
        if !refused.isEmpty { responder.send(refused, consumer: consumer) }
    }

    /// Refuses or delays a write that is not executed by a lane. Calls `again` if the broker does not accept the write.
    func take(_ request: some WaitingRequest, zone: ZoneID, again: @escaping @Sendable () -> Void) {
        guard !leave(request.delivery) else { return }
        guard request.delivery.isUnanswered else {
            return responder.send([busy(zone, request.delivery, request.context)], consumer: consumer)
        }
        delay(request.delivery, again)
    }

    private func leave(_ delivery: AMQPDelivery) -> Bool {
        guard consumer.isStale(delivery) else { return false }
        requestMetrics.wentBack()
        return true
    }

    private func busy(_ zone: ZoneID, _ delivery: AMQPDelivery, _ context: RequestContext) -> Response {
        Response(delivery, Answer(error: .zoneBusy(zone), context: context), requestID: context.requestID)
    }

    private func delay(_ delivery: AMQPDelivery, _ again: @escaping @Sendable () -> Void) {
        publisher.publish([DelayedRequest.message(for: delivery)]) { results in
            switch results[0] {
            case .success:
                metrics.delayed.increment()
                requestMetrics.wentBack()
                consumer.acknowledge([delivery])
            case .failure(let error) where error.isEnding:
                // The service is shutting down, and the broker redelivers the request to another instance.
                break
            case .failure: again()
            }
        }
    }
}

extension AMQPDelivery {
    /// Whether no caller is waiting for an answer.
    var isUnanswered: Bool { properties.replyTo?.isEmpty != false }
}

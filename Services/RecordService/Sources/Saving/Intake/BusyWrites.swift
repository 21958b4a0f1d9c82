internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import CoreMetrics
internal import RequestServing
internal import ServiceMessages

/// What becomes of writes whose zone others have locked for too long: a caller that waits for an answer gets `zone_busy`;
/// what has no reply-to goes back to the broker for a while (``DelayedRequest``), so that it takes no room in the window.
/// Nothing of them was executed. A request whose connection is gone is left to the broker, which delivers it again.
struct BusyWrites: Sendable {
    let publisher: AMQPPublisher
    let consumer: AMQPConsumer
    let responder: Responder
    let metrics: RecordMetrics
    let requestMetrics: RequestMetrics

    /// Refuses or delays `requests`; those that the broker does not take go into `queue` again, and stay there.
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

    /// Refuses or delays a write of zones; when the broker does not take it, `again` is called.
    func take(_ request: OpenedRequest, zone: ZoneID, again: @escaping @Sendable () -> Void) {
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
                // The service ends: the broker gives the request to another.
                break
            case .failure: again()
            }
        }
    }
}

extension AMQPDelivery {
    /// Whether no caller waits for an answer.
    fileprivate var isUnanswered: Bool { properties.replyTo?.isEmpty != false }
}

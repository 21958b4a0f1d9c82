internal import CloudKitModel
package import AMQPClient
internal import Foundation
package import ServiceMessages
package import ServiceRuntime

/// Publishes answers, events and dead letters, and says when a delivery is done with.
///
/// The order is always: commit, publish event and answer, confirmed, acknowledge. What RabbitMQ refuses (a caller's
/// full reply queue) is counted and passed over: the effect is committed, the log is the truth, and a caller that
/// asks again gets the same answer.
package final class Responder: Sendable {
    private let publisher: AMQPPublisher
    private let metrics: ServiceMetrics

    /// A responder on `publisher`.
    package init(publisher: AMQPPublisher, metrics: ServiceMetrics) {
        self.publisher = publisher
        self.metrics = metrics
    }

    /// A delivery and its answer.
    package struct Response: Sendable {
        /// The request.
        package var delivery: AMQPDelivery
        /// Its answer.
        package var answer: Answer

        /// A response of those parts.
        package init(_ delivery: AMQPDelivery, _ answer: Answer) {
            self.delivery = delivery
            self.answer = answer
        }
    }

    /// Publishes events and answers, then calls `done` (on the publisher's thread) with the deliveries that are to be
    /// acknowledged, once everything is confirmed or refused: all of them but those whose dead letter was refused,
    /// which the broker keeps.
    package func send(
        _ responses: [Response], events: [ChangeEvent] = [], done: @escaping @Sendable ([AMQPDelivery]) -> Void
    ) {
        var messages = events.map { $0.message() }
        var deadLetters: [Int: AMQPDelivery] = [:]
        var deliveries: [AMQPDelivery] = []
        for response in responses {
            count(response)
            let message = Self.message(for: response)
            if message?.exchange == Exchange.dead {
                deadLetters[messages.count] = response.delivery
            } else {
                deliveries.append(response.delivery)
            }
            if let message { messages.append(message) }
        }
        guard !messages.isEmpty else { return done(deliveries) }
        publisher.publish(messages) { [metrics, deliveries, deadLetters] results in
            var finished = deliveries
            var refused = 0
            for (index, result) in results.enumerated() {
                switch result {
                case .success: if let delivery = deadLetters[index] { finished.append(delivery) }
                case .failure: refused += 1
                }
            }
            if refused > 0 { metrics.count(ServiceMetrics.Series("zonda_publishes_refused_total"), by: refused) }
            done(finished)
        }
    }

    /// The answer's message, or a dead letter where nobody waits for an answer and the request failed for good; nil
    /// when there is nothing to say.
    private static func message(for response: Response) -> AMQPMessage? {
        let request = response.delivery.properties
        guard let replyTo = request.replyTo, !replyTo.isEmpty else {
            guard let failure = response.answer.failure else { return nil }
            return deadLetter(response, reason: failure.reasonCode)
        }
        guard ReplyAddress.isAllowed(replyTo) else { return deadLetter(response, reason: "reply_to_not_allowed") }
        return AMQPMessage(
            exchange: "", routingKey: replyTo,
            properties: AMQPProperties(
                correlationID: request.correlationID ?? request.messageID, contentType: "application/json",
                isPersistent: false, headers: [Header.status: .int64(Int64(response.answer.status))]),
            body: response.answer.body)
    }

    private static func deadLetter(_ response: Response, reason: String) -> AMQPMessage {
        var properties = response.delivery.properties
        properties.headers[Header.deadReason] = .string(reason)
        // Headers share a frame: a long error is cut to its reason.
        if response.answer.body.count < 4096 {
            properties.headers[Header.deadError] = .string(String(decoding: response.answer.body, as: UTF8.self))
        }
        // Whoever reads the dead letters answers nobody, and the broker would check a user-id against our own.
        properties.replyTo = nil
        properties.userID = nil
        return AMQPMessage(
            exchange: Exchange.dead, routingKey: response.delivery.routingKey, properties: properties,
            body: response.delivery.body)
    }

    private func count(_ response: Response) {
        let operation = Operation(rawValue: response.delivery.routingKey)?.rawValue ?? "unknown"
        metrics.count(
            ServiceMetrics.Series(
                "zonda_requests_total", ["operation": operation, "status": String(response.answer.status)]))
    }
}

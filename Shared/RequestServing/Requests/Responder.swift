package import AMQPClient
internal import CloudKitModel
internal import CoreMetrics
internal import Foundation
package import Logging
package import ServiceMessages

/// A delivery and its answer.
package struct Response: Sendable {
    /// The request.
    package var delivery: AMQPDelivery
    /// Its answer.
    package var answer: Answer
    /// ``RequestContext/requestID``, for the log.
    package var requestID: String

    /// A response of those parts.
    package init(_ delivery: AMQPDelivery, _ answer: Answer, requestID: String) {
        self.delivery = delivery
        self.answer = answer
        self.requestID = requestID
    }
}

/// Publishes answers, events and dead letters, and settles their deliveries.
///
/// The order is always: commit, publish event and answer, confirmed, acknowledge. An answer that RabbitMQ refuses (a
/// caller's full reply queue) is counted and passed over: the effect is committed, the log is the truth, and a caller
/// that asks again gets the same answer. What could not be published because the publisher is gone stays
/// unacknowledged, and the broker gives the request to another. A dead letter that is refused goes the broker's own
/// way: the delivery is rejected.
package final class Responder: Sendable {
    /// Past this many bytes of reason a dead letter carries the error without the items.
    private static let maxDeadErrorBytes = 4096

    private let publisher: AMQPPublisher
    private let metrics: RequestMetrics
    private let logger: Logger

    /// A responder on `publisher`. At the level `debug` it logs every answer.
    package init(publisher: AMQPPublisher, metrics: RequestMetrics, logger: Logger) {
        self.publisher = publisher
        self.metrics = metrics
        self.logger = logger
    }

    /// Publishes events and answers, settles the deliveries with `consumer`, and calls `whenSettled` (on the publisher's
    /// thread) with whether the broker was asked: not when the publisher has ended.
    package func send(
        _ responses: [Response], events: [ChangeEvent] = [], consumer: AMQPConsumer,
        whenSettled: @escaping @Sendable (_ isSent: Bool) -> Void = { _ in }
    ) {
        var messages = events.map { $0.message() }
        var owners: [Int: (delivery: AMQPDelivery, isDeadLetter: Bool)] = [:]
        var silent: [AMQPDelivery] = []
        for response in responses {
            var response = response
            response.answer = response.answer.fitting(publisher.maxAnswerBytes, requestID: response.requestID)
            metrics.answered(response)
            if let message = Self.message(for: response) {
                owners[messages.count] = (response.delivery, message.exchange == Exchange.dead)
                messages.append(message)
            } else {
                silent.append(response.delivery)
            }
        }
        guard !messages.isEmpty else {
            consumer.acknowledge(silent)
            settled(responses)
            return whenSettled(true)
        }
        publisher.publish(messages) { [self, owners, silent] results in
            // An event that was not taken is in the log; one that nobody could be asked about keeps its requests back.
            let isGone = results.contains { if case .failure(let error) = $0 { error.isEnding } else { false } }
            var finished = isGone ? [] : silent
            var refused = 0
            for (index, result) in results.enumerated() {
                if case .failure = result { refused += 1 }
                guard let owner = owners[index], !isGone else { continue }
                switch result {
                case .success: finished.append(owner.delivery)
                case .failure where owner.isDeadLetter: consumer.reject(owner.delivery, requeue: false)
                case .failure: finished.append(owner.delivery)
                }
            }
            if refused > 0 { metrics.publishesRefused.increment(by: refused) }
            consumer.acknowledge(finished)
            settled(responses)
            whenSettled(!isGone)
        }
    }

    /// As ``send(_:events:consumer:whenSettled:)``, returning when everything is settled.
    ///
    /// - Returns: whether the broker was asked: not when the publisher has ended.
    @discardableResult
    package func sendAndWait(
        _ responses: [Response], events: [ChangeEvent] = [], consumer: AMQPConsumer
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            send(responses, events: events, consumer: consumer) { continuation.resume(returning: $0) }
        }
    }

    /// The answer's message, or a dead letter where nobody waits for an answer and something failed for good; nil when
    /// there is nothing to say.
    private static func message(for response: Response) -> AMQPMessage? {
        let request = response.delivery.properties
        if response.delivery.exchange == Exchange.consumers, !ReplyAddress.isDirect(request.replyTo ?? "") {
            // Whoever may only listen fills neither the operators' dead letters nor other callers' reply queues.
            return nil
        }
        guard let replyTo = request.replyTo, !replyTo.isEmpty else {
            guard let failure = response.answer.failure else { return nil }
            return deadLetter(response, failure: failure)
        }
        if let failure = response.answer.failure, failure.reasonCode == ReasonCode.replyToNotAllowed.rawValue {
            return deadLetter(response, failure: failure)
        }
        guard ReplyAddress.isAllowed(replyTo) else {
            return deadLetter(
                response,
                failure: response.answer.failure ?? ServerError(.replyToNotAllowed, "The reply-to is not allowed"))
        }
        var headers: AMQPTable = [Header.status: .int64(Int64(response.answer.status))]
        headers.set(TraceParent(request.headers))
        return AMQPMessage(
            exchange: "", routingKey: replyTo,
            properties: AMQPProperties(
                correlationID: request.correlationID ?? request.messageID,
                correlationBytes: request.correlationBytes, contentType: "application/json", isPersistent: false,
                headers: headers),
            body: response.answer.body)
    }

    private static func deadLetter(_ response: Response, failure: ServerError) -> AMQPMessage {
        var properties = response.delivery.properties
        var error = response.answer.body
        if error.count > maxDeadErrorBytes {
            error = Answer(error: failure, requestID: response.requestID).body
        }
        properties.headers[Header.deadReason] = .string(failure.reasonCode)
        properties.headers[Header.deadError] = .string(String(decoding: error, as: UTF8.self))
        // Whoever reads the dead letters answers nobody, and the broker would check a user-id against our own.
        properties.replyTo = nil
        properties.userID = nil
        return AMQPMessage(
            exchange: Exchange.dead, routingKey: response.delivery.routingKey, properties: properties,
            body: response.answer.leavesBody ? response.delivery.body : [])
    }

    /// What is done with: confirmed, or past help.
    private func settled(_ responses: [Response]) {
        for response in responses {
            let time = ContinuousClock.now - response.delivery.receivedAt
            metrics.settled(response, after: time)
            logger.debug(
                "answered",
                metadata: [
                    "request": "\(response.requestID)", "operation": "\(response.delivery.routingKey)",
                    "status": "\(response.answer.status)", "seconds": "\(time / .seconds(1))",
                    "trace": TraceParent(response.delivery.properties.headers).map { "\($0)" },
                ].compactMapValues { $0 })
        }
    }
}

package import AMQPClient
internal import CloudKitModel
internal import CoreMetrics
internal import Foundation
package import Logging
package import ServiceMessages

/// The answer to a delivery.
package struct Response: Sendable {
    /// The request.
    package var delivery: AMQPDelivery
    /// The answer to the request.
    package var answer: Answer
    /// ``RequestContext/requestID``, for the log.
    package var requestID: String

    /// Creates a response from its parts.
    package init(_ delivery: AMQPDelivery, _ answer: Answer, requestID: String) {
        self.delivery = delivery
        self.answer = answer
        self.requestID = requestID
    }
}

/// A publisher of answers, events and dead letters, which also settles the deliveries of the requests.
///
/// The order is always: commit, publish events and answers, wait for the confirms, acknowledge. If the broker refuses
/// an answer because the caller's reply queue is full, the request is acknowledged anyway, and the refusal is counted:
/// the effect is committed, the change log contains the events, and a caller that retries the request gets the same
/// answer. If a message cannot be published because the publisher has ended, its request stays unacknowledged, and the
/// broker redelivers it to another instance. If the broker refuses a dead letter, the delivery is rejected, so that the
/// broker dead-letters it.
package final class Responder: Sendable {
    /// The maximum size of the error in a dead letter, in bytes. If the body of the answer is larger, only its main
    /// error is kept, without the errors of items.
    private static let maxDeadErrorBytes = 4096

    private let publisher: AMQPPublisher
    private let metrics: RequestMetrics
    private let logger: Logger

    /// Creates a responder that uses `publisher`. At the log level `debug`, it logs every answer.
    package init(publisher: AMQPPublisher, metrics: RequestMetrics, logger: Logger) {
        self.publisher = publisher
        self.metrics = metrics
        self.logger = logger
    }

    /// Publishes events and answers, settles the deliveries with `consumer`, and then calls `whenSettled` on the
    /// publisher's thread. `isSent` is false if the publisher ended before it could send the messages.
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
            // An event that the broker refused can be read from the change log. If the publisher ended before it could
            // send the messages, the requests are not acknowledged.
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

    /// Does the same as ``send(_:events:consumer:whenSettled:)``, but returns only when all deliveries are settled.
    ///
    /// - Returns: false if the publisher ended before it could send the messages, otherwise true.
    @discardableResult
    package func sendAndWait(
        _ responses: [Response], events: [ChangeEvent] = [], consumer: AMQPConsumer
    ) async -> Bool {
        await withCheckedContinuation { continuation in
            send(responses, events: events, consumer: consumer) { continuation.resume(returning: $0) }
        }
    }

    /// Returns the message that contains the answer. If the request has no allowed reply-to, the result is a dead
    /// letter, or nil if the request has no reply-to and did not fail permanently.
    private static func message(for response: Response) -> AMQPMessage? {
        let request = response.delivery.properties
        if response.delivery.exchange == Exchange.consumers, !ReplyAddress.isDirect(request.replyTo ?? "") {
            // Consumers may only read notifications. They must not be able to fill the operators' dead-letter queue or
            // the reply queues of other callers.
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
        // Dead letters are not answered. A user-id would be refused, because the broker compares it with the user of
        // this service's connection.
        properties.replyTo = nil
        properties.userID = nil
        return AMQPMessage(
            exchange: Exchange.dead, routingKey: response.delivery.routingKey, properties: properties,
            body: response.answer.leavesBody ? response.delivery.body : [])
    }

    /// Records responses that are settled, which means confirmed or abandoned.
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

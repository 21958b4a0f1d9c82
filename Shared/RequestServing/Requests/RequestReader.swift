package import AMQPClient
package import CloudKitModel
internal import Crypto
package import ServiceMessages

/// A delivery with a valid envelope.
package struct OpenedRequest: Sendable {
    /// The message. It is acknowledged when the broker has confirmed the answer.
    package let delivery: AMQPDelivery
    /// The requested operation.
    package let operation: ServiceMessages.Operation
    /// The request's validated headers.
    package let context: RequestContext

    /// Creates a request from its parts.
    package init(delivery: AMQPDelivery, operation: ServiceMessages.Operation, context: RequestContext) {
        self.delivery = delivery
        self.operation = operation
        self.context = context
    }

    /// The SHA-256 of the operation, the database scope and the body. If a message id is used again with a different
    /// identity, the request is refused rather than treated as a repeat.
    package var identity: [UInt8] {
        var hash = SHA256()
        hash.update(data: Array(operation.rawValue.utf8))
        hash.update(data: [0, UInt8(context.scope.rawValue)])
        hash.update(data: delivery.body)
        return Array(hash.finalize())
    }
}

/// A reader that checks the envelope, which has the same form for all requests, before the body is read.
package struct RequestReader: Sendable {
    /// The result of opening a delivery.
    package enum Verdict: Sendable {
        /// The envelope is valid.
        case sound(OpenedRequest)
        /// The request is refused with this answer. `requestID` is used in the log.
        case refused(Answer, requestID: String)
        /// The deadline has passed, so no caller is waiting for an answer.
        case expired
    }

    private let limits: Limits
    private let throttle: Throttle?
    private let producers: Producers?

    /// Creates a reader. If `throttle` is nil, rates are not limited. If `producers` is nil, every request from a user
    /// that is permitted to publish is allowed.
    package init(limits: Limits, throttle: Throttle? = nil, producers: Producers? = nil) {
        self.limits = limits
        self.throttle = throttle
        self.producers = producers
    }

    /// Checks the envelope of `delivery` at `now` (milliseconds since 1970).
    package func open(_ delivery: AMQPDelivery, now: Int64) -> Verdict {
        let requestID = RequestContext.requestID(of: delivery.properties)
        // Requests from a producer that is refused or has not been checked yet must not fill the operators' dead-letter
        // queue.
        var leavesBody = producers == nil || !isFromProducer(delivery)
        do throws(ServerError) {
            let (operation, context) = try envelope(of: delivery)
            guard !context.isExpired(at: now) else { return .expired }
            try producers?.admit(operation, context, from: delivery.properties.userID, by: delivery.exchange)
            leavesBody = true
            guard context.scope != .shared || operation.servesSharedDatabase else {
                throw ServerError(
                    .sharedDatabaseNotServed, "'\(operation.rawValue)' is not supported in the shared database yet",
                    field: Header.database)
            }
            // A redelivered request was counted when it was first delivered. It must not cost the client another token,
            // because the redelivery might be due to a failure of the service.
            if delivery.exchange == Exchange.requests, !delivery.isRedelivered { try throttle?.admit(context) }
            return .sound(OpenedRequest(delivery: delivery, operation: operation, context: context))
        } catch {
            let isForWeb = delivery.properties.headers.string(Header.interface) == RequestContext.web
            var answer = Answer(error: error, requestID: requestID, isForWeb: isForWeb)
            answer.leavesBody = leavesBody
            return .refused(answer, requestID: requestID)
        }
    }

    private func envelope(
        of delivery: AMQPDelivery
    ) throws(ServerError) -> (ServiceMessages.Operation, RequestContext) {
        if let replyTo = delivery.properties.replyTo, !replyTo.isEmpty, !mayAnswer(delivery) {
            let names = producers == nil ? ReplyAddress.queuePrefix : "\(ReplyAddress.queuePrefix)USER."
            throw ServerError(
                .replyToNotAllowed,
                "The reply-to must be amq.rabbitmq.reply-to or a queue whose name begins with '\(names)'",
                field: "reply-to")
        }
        guard let operation = Operation(rawValue: delivery.routingKey), operation.exchanges.contains(delivery.exchange)
        else { throw .operationUnknown(delivery.routingKey) }
        guard delivery.body.count <= limits.maxBodyBytes else {
            throw .tooMany("bytes", limit: limits.maxBodyBytes, actual: delivery.body.count)
        }
        return (operation, try RequestContext(delivery.properties, operation: operation))
    }

    /// Returns whether an answer may be sent to the reply-to of `delivery`. If there is a producers file, the reply-to
    /// must be one of the producer's own queues.
    func mayAnswer(_ delivery: AMQPDelivery) -> Bool {
        guard let replyTo = delivery.properties.replyTo else { return false }
        guard producers != nil, isFromProducer(delivery) else { return ReplyAddress.isAllowed(replyTo) }
        return ReplyAddress.isAllowed(replyTo, to: delivery.properties.userID)
    }

    /// Returns whether a request was sent by a producer. Dead-lettered requests are included, because their exchange is
    /// no longer the one to which they were sent.
    private func isFromProducer(_ delivery: AMQPDelivery) -> Bool {
        Producers.exchanges.contains(delivery.exchange) || delivery.exchange == Exchange.dead
    }
}

package import AMQPClient
package import CloudKitModel
internal import Crypto
package import ServiceMessages

/// A delivery whose envelope is sound.
package struct OpenedRequest: Sendable {
    /// The message, to be acknowledged when its answer is confirmed.
    package let delivery: AMQPDelivery
    /// What is asked.
    package let operation: ServiceMessages.Operation
    /// Where and for whom.
    package let context: RequestContext

    /// A request of those parts.
    package init(delivery: AMQPDelivery, operation: ServiceMessages.Operation, context: RequestContext) {
        self.delivery = delivery
        self.operation = operation
        self.context = context
    }

    /// SHA-256 of what is asked and where: the same id with another of these is refused, not taken for a repeat.
    package var identity: [UInt8] {
        var hash = SHA256()
        hash.update(data: Array(operation.rawValue.utf8))
        hash.update(data: [0, UInt8(context.scope.rawValue)])
        hash.update(data: delivery.body)
        return Array(hash.finalize())
    }
}

/// Checks what every request has in common before its body is looked at.
package struct RequestReader: Sendable {
    /// What became of a delivery.
    package enum Verdict: Sendable {
        /// Go on.
        case sound(OpenedRequest)
        /// Answer this and be done; the id is the answer's, for the log.
        case refused(Answer, requestID: String)
        /// Past its deadline: nobody waits any more.
        case expired
    }

    private let limits: Limits
    private let throttle: Throttle?
    private let producers: Producers?

    /// A reader with those limits; without a throttle requests may come as often as they like, without producers from
    /// whom the broker lets send them.
    package init(limits: Limits, throttle: Throttle? = nil, producers: Producers? = nil) {
        self.limits = limits
        self.throttle = throttle
        self.producers = producers
    }

    /// Reads the envelope of `delivery` at `now` (milliseconds since 1970).
    package func open(_ delivery: AMQPDelivery, now: Int64) -> Verdict {
        let requestID = RequestContext.requestID(of: delivery.properties)
        // A producer that may not ask, or was not looked at yet, does not fill the operators' queue of dead letters.
        var leavesBody = producers == nil || !isFromProducer(delivery)
        do throws(ServerError) {
            let (operation, context) = try envelope(of: delivery)
            guard !context.isExpired(at: now) else { return .expired }
            try producers?.admit(operation, context, from: delivery.properties.userID, by: delivery.exchange)
            leavesBody = true
            guard context.scope != .shared else {
                throw ServerError(
                    .sharedDatabaseNotServed, "The shared database is not served yet", field: Header.database)
            }
            // What came before was counted then: trouble of ours must not cost it its turn.
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
                "A reply-to is amq.rabbitmq.reply-to or a queue whose name begins '\(names)'", field: "reply-to")
        }
        guard let operation = Operation(rawValue: delivery.routingKey), operation.exchanges.contains(delivery.exchange)
        else { throw .operationUnknown(delivery.routingKey) }
        guard delivery.body.count <= limits.maxBodyBytes else {
            throw .tooMany("bytes", limit: limits.maxBodyBytes, actual: delivery.body.count)
        }
        return (operation, try RequestContext(delivery.properties, operation: operation))
    }

    /// Whether an answer may go where `delivery` asks for it: with a producers file only to the producer's own queues.
    func mayAnswer(_ delivery: AMQPDelivery) -> Bool {
        guard let replyTo = delivery.properties.replyTo else { return false }
        guard producers != nil, isFromProducer(delivery) else { return ReplyAddress.isAllowed(replyTo) }
        return ReplyAddress.isAllowed(replyTo, to: delivery.properties.userID)
    }

    /// What the broker gave up comes by another exchange than it was sent to.
    private func isFromProducer(_ delivery: AMQPDelivery) -> Bool {
        Producers.exchanges.contains(delivery.exchange) || delivery.exchange == Exchange.dead
    }
}

internal import AMQPClient
internal import CloudKitModel
internal import Foundation
internal import ServiceMessages

/// A delivery whose envelope is sound.
struct OpenedRequest: Sendable {
    let delivery: AMQPDelivery
    let operation: ServiceMessages.Operation
    let context: RequestContext
}

/// Checks what every request has in common before its body is looked at.
struct RequestReader: Sendable {
    enum Verdict: Sendable {
        /// Go on.
        case sound(OpenedRequest)
        /// Answer this and be done.
        case refused(Answer)
        /// Past its deadline: nobody waits any more.
        case expired
    }

    let limits: Limits

    /// Reads the envelope of `delivery` at `now` (milliseconds since 1970).
    func open(_ delivery: AMQPDelivery, now: Int64) -> Verdict {
        let properties = delivery.properties
        let requestID = properties.headers.string(Header.requestID) ?? properties.messageID ?? UUID().uuidString
        if let replyTo = properties.replyTo, !replyTo.isEmpty, !ReplyAddress.isAllowed(replyTo) {
            return refuse(
                .badRequest(
                    "reply_to_not_allowed",
                    "A reply-to is amq.rabbitmq.reply-to or a queue whose name begins '\(ReplyAddress.queuePrefix)'",
                    field: "reply-to"), requestID)
        }
        guard let operation = Operation(rawValue: delivery.routingKey), operation.exchange == delivery.exchange else {
            var error = ServerError.badRequest(
                "operation_unknown", "could not find handler for endpoint '\(delivery.routingKey)'",
                field: "routing-key")
            error.code = .notFound
            return refuse(error, requestID)
        }
        guard delivery.body.count <= limits.maxBodyBytes else {
            return refuse(.tooMany("bytes", limit: limits.maxBodyBytes, actual: delivery.body.count), requestID)
        }
        do {
            let context = try RequestContext(properties, operation: operation)
            guard !context.isExpired(at: now) else { return .expired }
            guard context.scope != .shared else {
                return refuse(
                    ServerError(
                        .accessDenied, .badDatabase, reasonCode: "shared_database_not_served",
                        reason: "The shared database is not served yet", field: Header.database), requestID)
            }
            return .sound(OpenedRequest(delivery: delivery, operation: operation, context: context))
        } catch {
            return refuse(error, requestID)
        }
    }

    private func refuse(_ error: ServerError, _ requestID: String) -> Verdict {
        .refused(Answer(error: error, requestID: requestID))
    }
}

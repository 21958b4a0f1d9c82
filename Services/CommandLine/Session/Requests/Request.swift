import CloudKitWire
import FoundationEssentials
package import ServiceMessages

/// A request to a service: an operation and its body.
package struct Request: Sendable {
    /// The operation.
    package var operation: ServiceMessages.Operation
    /// The body: web-services JSON, or the bytes of the asset for `assets.put`.
    package var body: [UInt8]
    /// The body's media type.
    package var contentType = "application/json"
    /// The message id, which the service uses to detect repeated requests. All attempts have the same id.
    package var messageID: String

    /// Creates a request, by default with a new message id.
    package init(
        _ operation: ServiceMessages.Operation, body: [UInt8], messageID: String = UUID().uuidString.lowercased()
    ) {
        self.operation = operation
        self.body = body
        self.messageID = messageID
    }
}

/// A service's answer.
package struct Answer: Sendable {
    /// The HTTP status.
    package var status: Int
    /// The body: the result or an error, as web-services JSON.
    package var body: [UInt8]
    /// The number of times that the request was sent; at least 1.
    package var attempts: Int

    /// Creates the answer to the last of `attempts` attempts.
    package init(status: Int, body: [UInt8], attempts: Int) {
        self.status = status
        self.body = body
        self.attempts = attempts
    }

    /// Whether the request as a whole succeeded. Individual items might still have failed.
    package var isGood: Bool { status == 200 }

    /// The number of seconds after which the request should be repeated; nil if it should not be.
    package var retryAfter: Int64? { isGood ? nil : (try? JSONValue(parsing: body))?["retryAfter"]?.int }
}

extension Duration {
    /// The maximum wait for an answer in an ordinary command.
    package static let requestLimit: Duration = .seconds(30)
}

/// Sends requests to services. ``BrokerSession`` uses AMQP; tests have other implementations.
package protocol Requester: Sendable {
    /// Sends a request, and repeats it with the same message id while the answer is "try again later".
    ///
    /// - Parameter limit: the maximum duration. The service must also begin to execute the request within this time.
    /// - Throws: `.unanswered` if no answer arrives within the limit or a retry is pointless.
    func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer
}

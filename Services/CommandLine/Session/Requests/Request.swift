import CloudKitWire
import FoundationEssentials
package import ServiceMessages

/// A question to a service: an operation and its body.
package struct Request: Sendable {
    /// The operation.
    package var operation: ServiceMessages.Operation
    /// The body: web-services JSON, as HTTP would carry it, but the bytes themselves for `assets.put`.
    package var body: [UInt8]
    /// The body's media type.
    package var contentType = "application/json"
    /// By which the service knows a repeat; the same for every attempt.
    package var messageID: String

    /// A request with a fresh message id, unless one is given.
    package init(
        _ operation: ServiceMessages.Operation, body: [UInt8], messageID: String = UUID().uuidString.lowercased()
    ) {
        self.operation = operation
        self.body = body
        self.messageID = messageID
    }
}

/// What a service answered.
package struct Answer: Sendable {
    /// The HTTP status.
    package var status: Int
    /// The web-services JSON, or an error's.
    package var body: [UInt8]
    /// How often the request was sent before this answer came; at least 1.
    package var attempts: Int

    /// The answer to the last of `attempts` attempts.
    package init(status: Int, body: [UInt8], attempts: Int) {
        self.status = status
        self.body = body
        self.attempts = attempts
    }

    /// Whether the request as a whole succeeded; items within it may still have failed.
    package var isGood: Bool { status == 200 }

    /// Seconds after which the service wants to be asked again, if it is to be.
    package var retryAfter: Int64? { isGood ? nil : (try? JSONValue(parsing: body))?["retryAfter"]?.int }
}

extension Duration {
    /// The longest wait for the answer to an ordinary command.
    package static let requestLimit: Duration = .seconds(30)
}

/// Asks services. One implementation speaks AMQP; tests have others.
package protocol Requester: Sendable {
    /// Asks until an answer comes that is not "try again later", with the same message id every time.
    ///
    /// - Parameter limit: how long to go on; the service is told not to begin after it.
    /// - Throws: `.unanswered` when the limit passes or asking again is pointless.
    func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer
}

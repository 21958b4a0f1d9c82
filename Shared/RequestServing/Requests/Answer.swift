package import CloudKitModel
package import CloudKitWire
package import ServiceMessages

/// The answer to a request.
package struct Answer: Sendable {
    /// The HTTP status.
    package var status: Int
    /// The body: web-services JSON.
    package var body: [UInt8]
    /// The error, if the whole request or all of its operations failed permanently.
    package var failure: ServerError?
    /// The codes of all errors in the answer, for the whole request and for its items.
    package var errorCodes: [ServerErrorCode]
    /// The body that is sent for a committed write whose actual answer is too large for a message.
    package static let omitted = Array(#"{"answerOmitted":true}"#.utf8)

    /// The body that is sent instead if ``body`` is too large for a message. A committed write needs a short body,
    /// because the caller would otherwise get `reply_too_large`.
    package var shortBody: [UInt8]?
    /// Whether the dead letter of a request that cannot be answered contains the request's body.
    package var leavesBody = true
    /// The events of committed changes. They are published together with the answer. (Events that are lost in a crash
    /// can be read from the change log.)
    package var events: [ChangeEvent] = []

    /// Creates an answer from its parts.
    package init(
        status: Int, body: [UInt8], failure: ServerError? = nil, errorCodes: [ServerErrorCode] = []
    ) {
        self.status = status
        self.body = body
        self.failure = failure
        self.errorCodes = errorCodes
    }

    /// Creates the answer to a request that failed as a whole.
    ///
    /// - Parameter isForWeb: whether the answer is for a client of CloudKit Web Services, in which case its errors use
    ///   HTTP terms.
    package init(error: ServerError, requestID: String, isForWeb: Bool = false) {
        var writer = WireWriter()
        writer.isForWeb = isForWeb
        writer.requestError(error, uuid: requestID)
        self.init(status: error.code.httpStatus, body: writer.bytes, failure: error, errorCodes: [error.code])
    }

    /// Creates the answer to a request that failed as a whole.
    package init(error: ServerError, context: RequestContext) {
        self.init(error: error, requestID: context.requestID, isForWeb: context.isFromWeb)
    }

    /// Returns this answer if it fits; otherwise, an answer with its ``shortBody`` or with `reply_too_large`.
    ///
    /// - Parameter maxBytes: the largest body, in bytes.
    func fitting(_ maxBytes: Int, requestID: String) -> Answer {
        guard body.count > maxBytes else { return self }
        var answer = self
        if let shortBody, shortBody.count <= maxBytes {
            answer.body = shortBody
        } else {
            answer = Answer(
                error: ServerError(
                    .replyTooLarge, "The answer exceeds the size limit of a message; request fewer items at a time",
                    limit: maxBytes,
                    actual: body.count),
                requestID: requestID)
            answer.events = events
        }
        return answer
    }

    /// Creates a successful answer. `write` writes the members of its JSON object. The errors of items contain the id
    /// of the request on whose behalf the task runs.
    ///
    /// - Parameters:
    ///   - capacity: the approximate number of bytes that will be written.
    ///   - maxBytes: the maximum size of the body (see ``WireWriter/maxBytes``).
    package init(
        status: Int = 200, capacity: Int = 1024, maxBytes: Int = .max, _ write: (inout WireWriter) throws -> Void
    ) rethrows {
        var writer = WireWriter(capacity: min(capacity, maxBytes))
        // Reserves one byte for the closing brace.
        writer.maxBytes = maxBytes - 1
        writer.requestID = WorkOrigin.current?.requestID
        writer.isForWeb = WorkOrigin.current?.isFromWeb ?? false
        try writer.object { try write(&$0) }
        self.init(status: status, body: writer.bytes, errorCodes: writer.errorCodes)
    }
}

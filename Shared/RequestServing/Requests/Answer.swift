package import CloudKitModel
package import CloudKitWire
package import ServiceMessages

/// The answer to a request.
package struct Answer: Sendable {
    /// The HTTP status.
    package var status: Int
    /// The body: web-services JSON.
    package var body: [UInt8]
    /// The error, when the whole request, or all of its operations, failed permanently.
    package var failure: ServerError?
    /// The codes of all errors in the answer, of the whole request and of its items.
    package var errorCodes: [ServerErrorCode]
    /// The body with which a committed write is answered when a larger one does not fit.
    package static let omitted = Array(#"{"answerOmitted":true}"#.utf8)

    /// The body that is sent instead when ``body`` is larger than a message may be. A committed write needs one, since
    /// the caller would otherwise get `reply_too_large`.
    package var shortBody: [UInt8]?
    /// Whether the dead letter of a request that cannot be answered carries the request's body.
    package var leavesBody = true
    /// The committed changes, which are published together with the answer. (Events lost in a crash are in the change
    /// log.)
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
    /// - Parameter isForWeb: whether a client of CloudKit's web interface reads the answer. Its errors then refer to
    ///   HTTP.
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

    /// Returns this answer if it fits, otherwise its ``shortBody``, or `reply_too_large`.
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
                    .replyTooLarge, "The answer exceeds the size limit of a message; request less at a time",
                    limit: maxBytes,
                    actual: body.count),
                requestID: requestID)
            answer.events = events
        }
        return answer
    }

    /// Creates a success whose JSON object `write` fills in. The errors for its items contain the id of the request on
    /// whose behalf the task runs.
    ///
    /// - Parameters:
    ///   - capacity: the approximate number of bytes that will be written.
    ///   - maxBytes: ``WireWriter/maxBytes``.
    package init(
        status: Int = 200, capacity: Int = 1024, maxBytes: Int = .max, _ write: (inout WireWriter) throws -> Void
    ) rethrows {
        var writer = WireWriter(capacity: min(capacity, maxBytes))
        // Leaves room for the closing brace.
        writer.maxBytes = maxBytes - 1
        writer.requestID = WorkOrigin.current?.requestID
        writer.isForWeb = WorkOrigin.current?.isFromWeb ?? false
        try writer.object { try write(&$0) }
        self.init(status: status, body: writer.bytes, errorCodes: writer.errorCodes)
    }
}

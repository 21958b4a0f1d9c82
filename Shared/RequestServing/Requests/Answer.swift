package import CloudKitModel
package import CloudKitWire
package import ServiceMessages

/// What a request is answered with.
package struct Answer: Sendable {
    /// The HTTP status.
    package var status: Int
    /// The web-services JSON.
    package var body: [UInt8]
    /// The error when the whole request, or all of its operations, failed for good.
    package var failure: ServerError?
    /// The codes of all errors in it, of the whole and of its items.
    package var errorCodes: [ServerErrorCode]
    /// What a write that has committed answers when there is no room for anything else.
    package static let omitted = Array(#"{"answerOmitted":true}"#.utf8)

    /// What is answered instead when ``body`` is larger than a message may be. A write that has committed needs one, since
    /// without it the caller reads `reply_too_large`.
    package var shortBody: [UInt8]?
    /// Whether the request's body goes to the dead letters when nobody can be answered.
    package var leavesBody = true
    /// What was committed, to be told with the answer. (What a crash swallows is in the change log.)
    package var events: [ChangeEvent] = []

    /// An answer of those parts.
    package init(
        status: Int, body: [UInt8], failure: ServerError? = nil, errorCodes: [ServerErrorCode] = []
    ) {
        self.status = status
        self.body = body
        self.failure = failure
        self.errorCodes = errorCodes
    }

    /// An error of the whole request.
    ///
    /// - Parameter isForWeb: whether it speaks of HTTP.
    package init(error: ServerError, requestID: String, isForWeb: Bool = false) {
        var writer = WireWriter()
        writer.isForWeb = isForWeb
        writer.requestError(error, uuid: requestID)
        self.init(status: error.code.httpStatus, body: writer.bytes, failure: error, errorCodes: [error.code])
    }

    /// An error of the whole request.
    package init(error: ServerError, context: RequestContext) {
        self.init(error: error, requestID: context.requestID, isForWeb: context.isFromWeb)
    }

    /// This answer as far as it fits: itself, with its ``shortBody``, or `reply_too_large`.
    ///
    /// - Parameter maxBytes: the largest body.
    func fitting(_ maxBytes: Int, requestID: String) -> Answer {
        guard body.count > maxBytes else { return self }
        var answer = self
        if let shortBody, shortBody.count <= maxBytes {
            answer.body = shortBody
        } else {
            answer = Answer(
                error: ServerError(
                    .replyTooLarge, "The answer is larger than a message may be; ask for less at once", limit: maxBytes,
                    actual: body.count),
                requestID: requestID)
            answer.events = events
        }
        return answer
    }

    /// A success whose JSON object `write` fills in. Its items' errors tell the id of the request that the task works
    /// for.
    ///
    /// - Parameters:
    ///   - capacity: about how many bytes will be written.
    ///   - maxBytes: ``WireWriter/maxBytes``.
    package init(
        status: Int = 200, capacity: Int = 1024, maxBytes: Int = .max, _ write: (inout WireWriter) throws -> Void
    ) rethrows {
        var writer = WireWriter(capacity: min(capacity, maxBytes))
        // The object's end.
        writer.maxBytes = maxBytes - 1
        writer.requestID = WorkOrigin.current?.requestID
        writer.isForWeb = WorkOrigin.current?.isFromWeb ?? false
        try writer.object { try write(&$0) }
        self.init(status: status, body: writer.bytes, errorCodes: writer.errorCodes)
    }
}

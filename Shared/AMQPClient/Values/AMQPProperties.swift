/// The properties of a message.
package struct AMQPProperties: Sendable, Hashable {
    /// Identifies the message across redeliveries and repeats.
    package var messageID: String?
    /// Matches a reply to its request.
    package var correlationID: String?
    /// The bytes of a correlation id that is not valid UTF-8, as some clients generate them. Sent instead of
    /// ``correlationID``, which then holds replacement characters.
    package var correlationBytes: [UInt8]?
    /// The address for replies.
    package var replyTo: String?
    /// The body's media type.
    package var contentType: String?
    /// The kind of message, as named by the application.
    package var type: String?
    /// The application that sent it.
    package var appID: String?
    /// The sending user; the broker refuses a value that is not the connection's own user.
    package var userID: String?
    /// Time to live in milliseconds, as decimal digits.
    package var expiration: String?
    /// Seconds since 1970.
    package var timestamp: UInt64?
    /// Whether the message survives a broker restart in a durable queue.
    package var isPersistent: Bool
    /// The priority, 0 to 255, for queues with priorities.
    package var priority: UInt8?
    /// Application headers.
    package var headers: AMQPTable

    /// Creates properties. All are absent unless given.
    package init(
        messageID: String? = nil, correlationID: String? = nil, correlationBytes: [UInt8]? = nil,
        replyTo: String? = nil, contentType: String? = nil, type: String? = nil, appID: String? = nil,
        userID: String? = nil, expiration: String? = nil,
        timestamp: UInt64? = nil, isPersistent: Bool = true, priority: UInt8? = nil, headers: AMQPTable = [:]
    ) {
        self.messageID = messageID
        self.correlationID = correlationID
        self.correlationBytes = correlationBytes
        self.replyTo = replyTo
        self.contentType = contentType
        self.type = type
        self.appID = appID
        self.userID = userID
        self.expiration = expiration
        self.timestamp = timestamp
        self.isPersistent = isPersistent
        self.priority = priority
        self.headers = headers
    }
}

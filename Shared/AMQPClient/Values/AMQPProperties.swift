/// The properties that travel with a message.
package struct AMQPProperties: Sendable, Hashable {
    /// Identifies the message over redeliveries and repeats.
    package var messageID: String?
    /// Pairs a reply with its request.
    package var correlationID: String?
    /// The correlation-id's bytes where they are not UTF-8, as some clients make them: sent in the place of
    /// ``correlationID``, which has replacement characters then.
    package var correlationBytes: [UInt8]?
    /// Where a reply is wanted.
    package var replyTo: String?
    /// The body's media type.
    package var contentType: String?
    /// An application's name for the kind of message.
    package var type: String?
    /// The application that sent it.
    package var appID: String?
    /// The sending user; the broker refuses a value that is not the connection's own user.
    package var userID: String?
    /// Time to live in milliseconds, as decimal digits.
    package var expiration: String?
    /// Seconds since 1970.
    package var timestamp: UInt64?
    /// Whether the message is to survive a restart of the broker in a durable queue.
    package var isPersistent: Bool
    /// 0 to 255, for queues with priorities.
    package var priority: UInt8?
    /// Application headers.
    package var headers: AMQPTable

    /// Properties of a message, all absent except what is given.
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

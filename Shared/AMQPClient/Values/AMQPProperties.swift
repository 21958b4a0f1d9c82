/// The properties of a message.
package struct AMQPProperties: Sendable, Hashable {
    /// The message's identifier, which is the same in redeliveries and repeats.
    package var messageID: String?
    /// The identifier that relates a reply to its request.
    package var correlationID: String?
    /// The bytes of a correlation id that is not valid UTF-8, as some clients generate. They are sent instead of
    /// ``correlationID``, which then contains replacement characters.
    package var correlationBytes: [UInt8]?
    /// The address for replies.
    package var replyTo: String?
    /// The body's media type.
    package var contentType: String?
    /// The kind of message, as named by the application.
    package var type: String?
    /// The application that sent the message.
    package var appID: String?
    /// The user that sent the message. The broker refuses any value except the connection's own user.
    package var userID: String?
    /// The time to live in milliseconds, as decimal digits.
    package var expiration: String?
    /// The message's timestamp, in seconds since 1970.
    package var timestamp: UInt64?
    /// Whether the message, if it is in a durable queue, survives a broker restart.
    package var isPersistent: Bool
    /// The priority, 0 to 255, for queues with priorities.
    package var priority: UInt8?
    /// The application's headers.
    package var headers: AMQPTable

    /// Creates properties. By default, the message is persistent and all other properties are absent.
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

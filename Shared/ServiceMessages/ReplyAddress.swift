internal import AMQPClient

/// Where an answer may be published.
package enum ReplyAddress {
    /// The prefix of queues that a caller may declare for its answers.
    package static let queuePrefix = "reply."

    /// Whether `replyTo` is a direct reply-to as the broker makes it, or a queue whose name begins `reply.`. Anything else
    /// would let a producer make a service publish where it pleases, or end the service's connection.
    package static func isAllowed(_ replyTo: String) -> Bool {
        replyTo.hasPrefix(queuePrefix) || isDirect(replyTo)
    }

    /// Whether `replyTo` is a direct reply-to, which leads to the caller and to no queue.
    package static func isDirect(_ replyTo: String) -> Bool { DirectReplyAddress(replyTo) != nil }

    /// Whether `replyTo` is a direct reply-to, or a queue of that user of the broker: its name begins `reply.USER.`.
    package static func isAllowed(_ replyTo: String, to user: String?) -> Bool {
        guard replyTo.hasPrefix(queuePrefix) else { return isDirect(replyTo) }
        guard let user, !user.isEmpty else { return false }
        return replyTo.utf8.starts(with: "\(queuePrefix)\(user).".utf8)
    }
}

internal import AMQPClient

/// Checks whether answers may be published to an address.
package enum ReplyAddress {
    /// The name prefix of the queues that callers may declare for their answers.
    package static let queuePrefix = "reply."

    /// Returns whether `replyTo` is a direct reply-to in the form that the broker generates, or a queue whose name
    /// begins with `reply.`. With any other address, a producer could make a service publish to an arbitrary queue, or
    /// cause the service's connection to be closed.
    package static func isAllowed(_ replyTo: String) -> Bool {
        replyTo.hasPrefix(queuePrefix) || isDirect(replyTo)
    }

    /// Returns whether `replyTo` is a direct reply-to, which delivers answers to the caller without a queue.
    package static func isDirect(_ replyTo: String) -> Bool { DirectReplyAddress(replyTo) != nil }

    /// Returns whether `replyTo` is a direct reply-to, or a queue of the broker user `user`. The names of such queues
    /// begin with `reply.USER.`.
    package static func isAllowed(_ replyTo: String, to user: String?) -> Bool {
        guard replyTo.hasPrefix(queuePrefix) else { return isDirect(replyTo) }
        guard let user, !user.isEmpty else { return false }
        return replyTo.utf8.starts(with: "\(queuePrefix)\(user).".utf8)
    }
}

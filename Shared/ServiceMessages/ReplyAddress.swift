/// Where an answer may be published.
package enum ReplyAddress {
    /// The prefix of queues that a caller may declare for its answers.
    package static let queuePrefix = "reply."
    private static let directPrefix = "amq.rabbitmq.reply-to."

    /// Whether `replyTo` is a direct reply-to or a queue whose name begins `reply.`. Anything else would let a
    /// producer make a service publish where it pleases.
    package static func isAllowed(_ replyTo: String) -> Bool {
        isDirect(replyTo) || replyTo.hasPrefix(queuePrefix)
    }

    /// Whether `replyTo` is a direct reply-to, which leads to whoever asked and to no queue.
    package static func isDirect(_ replyTo: String) -> Bool { replyTo.hasPrefix(directPrefix) }
}

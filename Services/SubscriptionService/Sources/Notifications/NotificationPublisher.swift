internal import AMQPClient
internal import Logging
internal import RequestServing
internal import ServiceRuntime

/// Publishes notifications, each confirmed.
struct NotificationPublisher: Sendable {
    let send: ConfirmedPublish
    let metrics: ServiceMetrics
    let logger: Logger

    /// Publishes messages in their order and returns when the broker has answered for each.
    ///
    /// One full queue behind the exchange refuses a message for all, although the others have got it. So a refused
    /// message is tried once more and then passed over: a slow consumer never holds up another, and finds what it
    /// missed in the feed.
    ///
    /// - Throws: ``Withheld`` when the publisher ended before the broker answered.
    func publish(_ messages: [AMQPMessage]) async throws(Withheld) {
        let refused = try await attempt(messages)
        guard !refused.isEmpty else { return }
        let lost = try await attempt(refused.map(\.message))
        guard !lost.isEmpty else { return }
        metrics.count(SubscriptionMetrics.refused, by: lost.count)
        logger.warning(
            "notifications were refused and are passed over",
            metadata: ["count": "\(lost.count)", "error": "\(lost[0].error)"])
    }

    private func attempt(_ messages: [AMQPMessage]) async throws(Withheld) -> [(message: AMQPMessage, error: AMQPError)]
    {
        var refused: [(message: AMQPMessage, error: AMQPError)] = []
        for (message, result) in zip(messages, await send(messages)) {
            guard case .failure(let error) = result else { continue }
            if [.closed, .cancelled, .notRunning].contains(error.code) { throw Withheld() }
            refused.append((message, error))
        }
        return refused
    }
}

internal import AMQPClient
internal import CoreMetrics
internal import Foundation
internal import Logging
internal import RequestServing
internal import ServiceRuntime

/// A notification about a change in one zone.
struct NotificationMessage: Sendable {
    var message: AMQPMessage
    /// The zone's incarnation. The messages of an incarnation are published in order.
    var incarnation: UUID
    var kind: NotificationKind
}

/// Publishes notifications and waits for the broker's confirms.
struct NotificationPublisher: Sendable {
    /// The maximum wait before a failed batch is published again.
    private static let maxWait = Duration.seconds(5)

    let send: ConfirmedPublish
    let clock: any Clock<Duration>
    let metrics: SubscriptionMetrics
    let logger: Logger

    /// Publishes messages in order, and returns once the broker has answered each of them.
    ///
    /// If one of the queues bound to the exchange is full, the broker refuses the message, although the other queues
    /// have received it. Therefore, a refused message is published once more and then skipped. In this way, a slow
    /// consumer never delays another consumer. The slow consumer finds the missed changes in the feed. The following
    /// messages of the same zone are published again too, so that no message overtakes the refused one. After any other
    /// failure, such as a missing exchange or a withdrawn permission, all messages are published again until the
    /// failure ends.
    ///
    /// - Returns: the errors for the messages that were skipped, by position.
    /// - Throws: `ServiceStopping` if the service shuts down before the broker has answered.
    @discardableResult
    func publish(_ messages: [NotificationMessage]) async throws(ServiceStopping) -> [Int: AMQPError] {
        let refused = try await attempt(messages)
        var again: [Int] = []
        var open: Set<UUID> = []
        for index in messages.indices {
            if refused[index] != nil { open.insert(messages[index].incarnation) }
            if open.contains(messages[index].incarnation) { again.append(index) }
        }
        var lost: [Int: AMQPError] = [:]
        for (position, error) in try await attempt(again.map { messages[$0] }) where refused[again[position]] != nil {
            lost[again[position]] = error
        }
        for kind in NotificationKind.allCases {
            let count = messages.indices.count { messages[$0].kind == kind && lost[$0] == nil }
            metrics.notifications[kind].increment(by: count)
        }
        if let error = lost.values.first {
            metrics.refused.increment(by: lost.count)
            logger.warning(
                "the broker refused notifications twice; they are skipped",
                metadata: ["count": "\(lost.count)", "error": "\(error)"])
        }
        return lost
    }

    /// Publishes until the broker has confirmed or refused each message, and returns the refusals by position.
    private func attempt(_ messages: [NotificationMessage]) async throws(ServiceStopping) -> [Int: AMQPError] {
        guard !messages.isEmpty else { return [:] }
        var failures = 0
        while true {
            var refused: [Int: AMQPError] = [:]
            var failure: AMQPError?
            let parts = messages.enumerated().flatMap { position, message in
                message.message.withCopies.map { (position, $0) }
            }
            for ((position, _), result) in zip(parts, await send(parts.map(\.1))) {
                guard case .failure(let error) = result else { continue }
                if error.isEnding { throw ServiceStopping() }
                if error.code == .nacked || error.code == .refused || error.code == .givenUp {
                    refused[position] = error
                } else {
                    failure = error
                }
            }
            guard let failure else { return refused }
            logger.warning(
                "notifications could not be published; publishing will be retried", metadata: ["error": "\(failure)"])
            do {
                try await clock.sleep(for: min(.milliseconds(100 << min(failures, 6)), Self.maxWait))
            } catch {
                throw ServiceStopping()
            }
            failures += 1
        }
    }
}

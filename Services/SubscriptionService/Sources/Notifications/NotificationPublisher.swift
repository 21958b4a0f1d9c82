internal import AMQPClient
internal import CoreMetrics
internal import Foundation
internal import Logging
internal import RequestServing
internal import ServiceRuntime

/// A message that tells of a change of one zone.
struct NotificationMessage: Sendable {
    /// Whom it tells; the metrics' `kind`.
    enum Kind: String, Sendable, CaseIterable {
        /// Whoever has bound a queue to the zone.
        case zone
        /// The user of a subscription.
        case user
    }

    /// What is published.
    var message: AMQPMessage
    /// The zone's incarnation: messages of one stay in their order.
    var incarnation: UUID
    /// Whom it tells.
    var kind: Kind
}

/// Publishes notifications, each confirmed.
struct NotificationPublisher: Sendable {
    /// The longest wait before a batch that could not be published is tried again.
    private static let maxWait = Duration.seconds(5)

    let send: ConfirmedPublish
    let clock: any Clock<Duration>
    let metrics: SubscriptionMetrics
    let logger: Logger

    /// Publishes messages in their order and returns, when the broker has answered for each, those that were lost, by
    /// their position.
    ///
    /// One full queue behind the exchange refuses a message for all, although the others have got it. So a refused
    /// message is tried once more and then passed over: a slow consumer never holds up another, and finds what it
    /// missed in the feed. What follows it in its zone is repeated with it, so that none is overtaken. Anything else
    /// that goes wrong (the exchange is gone, a permission was withdrawn) is outlasted: all are tried again.
    ///
    /// - Throws: ``Withheld`` when the service ends before the broker has answered.
    @discardableResult
    func publish(_ messages: [NotificationMessage]) async throws(Withheld) -> [Int: AMQPError] {
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
        for kind in [NotificationMessage.Kind.zone, .user] {
            let count = messages.indices.count { messages[$0].kind == kind && lost[$0] == nil }
            metrics.notifications[kind].increment(by: count)
        }
        if let error = lost.values.first {
            metrics.refused.increment(by: lost.count)
            logger.warning(
                "notifications were refused and are passed over",
                metadata: ["count": "\(lost.count)", "error": "\(error)"])
        }
        return lost
    }

    /// Publishes until the broker has taken or refused each, and returns the refusals by their position.
    private func attempt(_ messages: [NotificationMessage]) async throws(Withheld) -> [Int: AMQPError] {
        guard !messages.isEmpty else { return [:] }
        var failures = 0
        while true {
            var refused: [Int: AMQPError] = [:]
            var trouble: AMQPError?
            for (position, result) in await send(messages.map(\.message)).enumerated() {
                guard case .failure(let error) = result else { continue }
                if error.isEnding { throw Withheld() }
                if error.code == .nacked || error.code == .refused || error.code == .givenUp {
                    refused[position] = error
                } else {
                    trouble = error
                }
            }
            guard let trouble else { return refused }
            logger.warning(
                "notifications cannot be published; they are tried again", metadata: ["error": "\(trouble)"])
            do {
                try await clock.sleep(for: min(.milliseconds(100 << min(failures, 6)), Self.maxWait))
            } catch {
                throw Withheld()
            }
            failures += 1
        }
    }
}

package import AMQPClient

/// A policy that the broker applies to queues by name. Unlike a queue's arguments, a policy's limits can be changed
/// while the deployment is running.
package struct BrokerPolicy: Sendable, Hashable {
    /// The policy's name.
    package var name: String
    /// A regular expression that matches the names of the queues. The patterns are disjoint: each queue matches at most
    /// one pattern.
    package var pattern: String
    /// The limits.
    package var definition: AMQPTable

    /// The retention of the notification log.
    package struct Retention: Sendable, Hashable {
        /// The maximum age in RabbitMQ's notation: a number followed by `Y`, `M`, `D`, `h`, `m` or `s`.
        package var maxAge = "24h"
        /// The maximum total size of all segments, in bytes. The broker deletes only whole segments of 50 MB, and only
        /// when the newest one is full.
        package var maxBytes: Int64 = 2_000_000_000

        /// Creates a retention of one day and at most 2 GB.
        package init() {}

        /// Whether ``maxAge`` is in RabbitMQ's notation and ``maxBytes`` is positive.
        package var isSound: Bool {
            guard let unit = maxAge.last, "YMDhms".contains(unit), maxBytes > 0 else { return false }
            return Int(maxAge.dropLast()).map { $0 > 0 } ?? false
        }
    }

    /// The maximum number of notifications that can wait for a consumer. Above this limit, the oldest are dropped.
    package static let maxWaitingMessages: Int64 = 100_000
    /// The maximum total size, in bytes, of the notifications that can wait for a consumer. Above this limit, the
    /// oldest are dropped.
    package static let maxWaitingBytes: Int64 = 100_000_000

    /// How long dead letters are kept for operators, in days.
    package static let deadLetterDays: Int64 = 14
    /// The maximum total size, in bytes, of the dead letters that are kept for operators. Above this limit, the oldest
    /// are dropped.
    package static let maxDeadLetterBytes: Int64 = 1_000_000_000
    /// The maximum total size, in bytes, of the dead-lettered requests that can wait for one service to answer their
    /// callers. Above this limit, the oldest are dropped.
    package static let maxBuriedBytes: Int64 = 250_000_000
    /// The maximum total size of the changes in each change queue, in bytes. Above this limit, the broker refuses
    /// further changes.
    package static let maxChangeBytes: Int64 = 500_000_000
    /// The maximum total size, in bytes, of the writes that can wait for their zones outside the record service. Above
    /// this limit, further writes wait inside the service.
    package static let maxDelayedBytes: Int64 = 500_000_000

    /// Returns all policies of a deployment.
    package static func all(_ retention: Retention = Retention()) -> [BrokerPolicy] {
        [
            BrokerPolicy(
                name: "zonda-notifications-log", pattern: "^notifications\\.log$",
                definition: [
                    "max-age": .string(retention.maxAge), "max-length-bytes": .int64(retention.maxBytes),
                ]),
            // A consumer that is offline or slow loses its oldest notifications, but does not delay other consumers.
            BrokerPolicy(
                name: "zonda-consumers", pattern: "^(consumer\\.|notifications\\.watch\\.)",
                definition: [
                    "max-length": .int64(maxWaitingMessages), "max-length-bytes": .int64(maxWaitingBytes),
                    "overflow": .string("drop-head"),
                ]),
            BrokerPolicy(
                name: "zonda-dead-letters", pattern: "^dead-letters$",
                definition: [
                    "message-ttl": .int64(deadLetterDays * 86_400_000), "max-length-bytes": .int64(maxDeadLetterBytes),
                    "overflow": .string("drop-head"),
                ]),
            // A dead letter that repeatedly crashes the service reading it is dropped. The operators' copy remains.
            BrokerPolicy(
                name: "zonda-buried", pattern: "^[a-z]+\\.dead$",
                definition: [
                    "delivery-limit": .int64(Topology.deliveryLimit), "max-length-bytes": .int64(maxBuriedBytes),
                    "overflow": .string("drop-head"),
                ]),
            // A refused change remains in the change log, where the sweep finds it. If changes were dropped by length
            // or age instead, a change that the sweep had found and published could be dropped, and the sweep would not
            // find it again.
            BrokerPolicy(
                name: "zonda-changes", pattern: "^(subscription\\.changes\\.|asset\\.changes$)",
                definition: ["max-length-bytes": .int64(maxChangeBytes), "overflow": .string("reject-publish")]),
            BrokerPolicy(
                name: "zonda-delayed-writes", pattern: "^record\\.writes\\.wait\\.",
                definition: ["max-length-bytes": .int64(maxDelayedBytes), "overflow": .string("reject-publish")]),
        ]
    }
}

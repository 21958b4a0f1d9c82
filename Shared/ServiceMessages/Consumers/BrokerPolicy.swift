package import AMQPClient

/// What the broker applies to queues by their names: limits that an operator may change while everything runs, which an
/// argument of a queue could not be.
package struct BrokerPolicy: Sendable, Hashable {
    /// The policy's name.
    package var name: String
    /// The queues, as a regular expression on their names. No queue has two policies.
    package var pattern: String
    /// The limits.
    package var definition: AMQPTable

    /// How long notifications can be read again.
    package struct Retention: Sendable, Hashable {
        /// As RabbitMQ spells it: a number and `Y`, `M`, `D`, `h`, `m` or `s`.
        package var maxAge = "24h"
        /// All segments together. Whole segments of 50 MB go, when the last one is full.
        package var maxBytes: Int64 = 2_000_000_000

        /// A day, at most 2 GB.
        package init() {}

        /// Whether the broker would understand ``maxAge``.
        package var isSound: Bool {
            guard let unit = maxAge.last, "YMDhms".contains(unit), maxBytes > 0 else { return false }
            return Int(maxAge.dropLast()).map { $0 > 0 } ?? false
        }
    }

    /// How many notifications wait for a consumer at most; past it the oldest are dropped.
    package static let maxWaitingMessages: Int64 = 100_000
    /// How many bytes of notifications wait for a consumer at most.
    package static let maxWaitingBytes: Int64 = 100_000_000

    /// How long dead letters are kept for operators.
    package static let deadLetterDays: Int64 = 14
    /// How many bytes of dead letters are kept for operators; past it the oldest are dropped.
    package static let maxDeadLetterBytes: Int64 = 1_000_000_000
    /// How many bytes of dead-lettered requests wait for each service, which answers their callers; past it the oldest are
    /// dropped.
    package static let maxBuriedBytes: Int64 = 250_000_000
    /// How many bytes of changes wait in each queue of them; past it the broker refuses more.
    package static let maxChangeBytes: Int64 = 500_000_000
    /// How many bytes of writes wait for their zones outside the record service; past it they stay inside.
    package static let maxDelayedBytes: Int64 = 500_000_000

    /// All policies of a deployment.
    package static func all(_ retention: Retention = Retention()) -> [BrokerPolicy] {
        [
            BrokerPolicy(
                name: "zonda-notifications-log", pattern: "^notifications\\.log$",
                definition: [
                    "max-age": .string(retention.maxAge), "max-length-bytes": .int64(retention.maxBytes),
                ]),
            // A consumer that is away, or slow, loses its oldest notifications and holds nobody else up.
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
            // A dead letter that ends the services that read it is dropped; the operators' copy stays.
            BrokerPolicy(
                name: "zonda-buried", pattern: "^[a-z]+\\.dead$",
                definition: [
                    "delivery-limit": .int64(Topology.deliveryLimit), "max-length-bytes": .int64(maxBuriedBytes),
                    "overflow": .string("drop-head"),
                ]),
            // A change that is refused is in the log, where the sweep finds it. One that was dropped, by length or age, may
            // be a find of the sweep itself, for which nothing looks again.
            BrokerPolicy(
                name: "zonda-changes", pattern: "^(subscription\\.changes\\.|asset\\.changes$)",
                definition: ["max-length-bytes": .int64(maxChangeBytes), "overflow": .string("reject-publish")]),
            BrokerPolicy(
                name: "zonda-delayed-writes", pattern: "^record\\.writes\\.wait\\.",
                definition: ["max-length-bytes": .int64(maxDelayedBytes), "overflow": .string("reject-publish")]),
        ]
    }
}

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
        ]
    }
}

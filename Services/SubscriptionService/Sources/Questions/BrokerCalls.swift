internal import AMQPClient

/// Publishes messages in order and returns the broker's answer to each: `AMQPPublisher.publish(_:)`.
typealias ConfirmedPublish = @Sendable ([AMQPMessage]) async -> [Result<Void, AMQPError>]

extension Duration {
    /// The duration in whole milliseconds, the unit of deadlines.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

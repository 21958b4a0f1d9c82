internal import AMQPClient

/// Asks another service and waits for its answer, at most that long: `AMQPRPCClient.call(_:timeout:)`.
typealias RemoteCall = @Sendable (AMQPMessage, Duration) async throws(AMQPError) -> AMQPDelivery

/// Publishes messages in their order and returns what the broker said of each: `AMQPPublisher.publish(_:)`.
typealias ConfirmedPublish = @Sendable ([AMQPMessage]) async -> [Result<Void, AMQPError>]

extension Duration {
    /// In whole milliseconds, as deadlines count.
    var milliseconds: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}

internal import AMQPClient

/// Asks another service and waits for its answer, at most that long: `AMQPRPCClient.call(_:timeout:)`.
typealias RemoteCall = @Sendable (AMQPMessage, Duration) async throws(AMQPError) -> AMQPDelivery

/// Publishes messages in their order and returns what the broker said of each: `AMQPPublisher.publish(_:)`.
typealias ConfirmedPublish = @Sendable ([AMQPMessage]) async -> [Result<Void, AMQPError>]

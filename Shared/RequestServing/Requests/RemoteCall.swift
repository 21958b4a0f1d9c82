package import AMQPClient

/// Sends a request to another service and waits for its reply, at most for the given time:
/// `AMQPRPCClient.call(_:timeout:)`.
package typealias RemoteCall = @Sendable (AMQPMessage, Duration) async throws(AMQPError) -> AMQPDelivery

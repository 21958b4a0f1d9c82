package import AMQPClient

/// A function that sends a request to another service and waits at most the given time for its reply:
/// `AMQPRPCClient.call(_:timeout:)`.
package typealias RemoteCall = @Sendable (AMQPMessage, Duration) async throws(AMQPError) -> AMQPDelivery

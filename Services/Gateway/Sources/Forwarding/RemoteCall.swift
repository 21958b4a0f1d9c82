internal import AMQPClient

/// Sends a request to a service over AMQP and waits for its reply, at most for that duration.
typealias RemoteCall = @Sendable (AMQPMessage, Duration) async throws(AMQPError) -> AMQPDelivery

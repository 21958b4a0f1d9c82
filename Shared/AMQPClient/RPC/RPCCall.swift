/// A request that awaits its reply.
final class RPCCall: Sendable {
    let id: UInt64
    let message: AMQPMessage
    let deadline: ContinuousClock.Instant
    let answer = Completion<Result<AMQPDelivery, AMQPError>>()

    init(id: UInt64, message: AMQPMessage, deadline: ContinuousClock.Instant) {
        self.id = id
        self.message = message
        self.deadline = deadline
    }
}

/// A command from a caller to an RPC client.
enum RPCCommand: Sendable {
    case call(RPCCall)
    /// The caller is no longer waiting for the reply.
    case forget(UInt64)
}

package import Logging
import ServiceLifecycle
import Synchronization

/// Sends requests and awaits their replies over its own connection, and reconnects when the connection is lost.
///
/// Replies arrive through RabbitMQ's direct reply-to. After a reconnect, every unanswered request is published again
/// with the same `message-id`, which servers must use to recognize repeats.
package final class AMQPRPCClient: AMQPConnectionClient {
    private let inbox: Inbox<RPCCommand>
    package let status = ConnectionStatus()
    private let keeper: ConnectionKeeper
    private let configuration: AMQPConfiguration
    private let lastID = Atomic<UInt64>(0)

    /// Creates a client, which connects when `run()` is called.
    ///
    /// - Parameters:
    ///   - configuration: the broker's address, credentials and limits.
    ///   - maxInFlight: the maximum number of requests that are published but unanswered. Further requests wait.
    ///   - logger: logs connects, disconnects and requests that are discarded.
    package init(configuration: AMQPConfiguration, maxInFlight: Int = 5000, logger: Logger) {
        let thread = ConnectionThread(name: "amqp-rpc")
        inbox = Inbox(thread: thread, closesAt: .graceful)
        self.configuration = configuration
        keeper = ConnectionKeeper(
            thread: thread, configuration: configuration, status: status,
            role: RPCRole(
                inbox: inbox, status: status, maxInFlight: maxInFlight, closeTimeout: configuration.closeTimeout,
                logger: logger),
            logger: logger)
    }

    /// Runs until graceful shutdown, which waits at most `closeTimeout` for outstanding replies, or until the task is
    /// cancelled, which fails all unanswered requests. Reconnects indefinitely. Must be called only once.
    package func run() async throws {
        await keeper.run(endingWith: inbox)
    }

    /// Publishes a request and returns its reply.
    ///
    /// - Parameters:
    ///   - message: the request. This method sets `replyTo`, `correlationID` and `isMandatory`; the caller sets
    ///     `messageID`.
    ///   - timeout: the maximum wait, including reconnects.
    /// - Throws: `.timedOut`, which states the reason if the client is not connected; `.returned` if the request could
    ///   not be routed to any queue; `.nacked`, `.channelClosed`, `.givenUp`, `.refused`, `.closed`; `.cancelled` if
    ///   the task is cancelled, in which case the request might still be executed.
    package func call(_ message: AMQPMessage, timeout: Duration) async throws(AMQPError) -> AMQPDelivery {
        let id = lastID.wrappingAdd(1, ordering: .relaxed).newValue
        var message = message
        message.properties.replyTo = "amq.rabbitmq.reply-to"
        message.properties.correlationID = String(id)
        message.isMandatory = true
        try message.validate(for: configuration)
        let call = RPCCall(id: id, message: message, deadline: .now + timeout)
        guard inbox.put(.call(call)) else {
            throw AMQPError(.closed, "the RPC client has been shut down")
        }
        if !status.hasStarted {
            return try await waitBeforeStart(call, timeout)
        }
        return try await result(of: call)
    }

    private func result(of call: RPCCall) async throws(AMQPError) -> AMQPDelivery {
        let cancelled = AMQPError(.cancelled, "the task was cancelled before the reply arrived")
        return try await call.answer.value(whenCancelled: .failure(cancelled)) { [inbox] in
            _ = inbox.put(.forget(call.id))
        }.get()
    }

    /// Waits for the reply with a timer. The connection's thread usually checks deadlines, but not before `run()` is
    /// called.
    private func waitBeforeStart(_ call: RPCCall, _ timeout: Duration) async throws(AMQPError) -> AMQPDelivery {
        let timer = Task {
            try await Task.sleep(for: timeout)
            call.answer.complete(.failure(status.timeout))
        }
        defer { timer.cancel() }
        return try await result(of: call)
    }
}

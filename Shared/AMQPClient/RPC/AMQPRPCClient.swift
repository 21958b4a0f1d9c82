package import Logging
import ServiceLifecycle
import Synchronization

/// Sends requests and awaits their replies, over a connection of its own that it keeps up.
///
/// Replies come by RabbitMQ's direct reply-to. After a reconnect every request without a reply is published again with
/// the same `message-id`: whoever serves them must know a repeat by it.
package final class AMQPRPCClient: Service, Sendable {
    private let inbox: Inbox<RPCCommand>
    private let status = ConnectionStatus()
    private let keeper: ConnectionKeeper
    private let configuration: AMQPConfiguration
    private let lastID = Atomic<UInt64>(0)

    /// Prepares a client; nothing is connected before `run()`.
    ///
    /// - Parameters:
    ///   - configuration: how to reach the broker.
    ///   - maxInFlight: how many requests may be published and unanswered; further ones wait.
    ///   - logger: for connecting and disconnecting.
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

    /// Runs until graceful shutdown, which waits for outstanding replies (at most `closeTimeout`), or until the task is
    /// cancelled, which fails them. Reconnects for ever. To be called once.
    package func run() async throws {
        await keeper.run(endingWith: inbox)
    }

    /// Whether there is a connection now.
    package var isConnected: Bool {
        status.isConnected
    }

    /// Why there is no connection now, as far as it is known.
    package var failure: AMQPError? {
        status.failure
    }

    /// Why the broker takes no publishes now, in its own words: memory or disk is short. Nil while it takes them, and until
    /// it has been asked to since it connected.
    package var blockedReason: String? {
        status.blockedReason
    }

    /// How many messages were given up because the broker ended connections or channels for them.
    package var givenUpCount: Int {
        status.givenUpCount
    }

    /// Waits for a connection.
    ///
    /// - Throws: `.timedOut` with the last attempt's error, `.notRunning`, `.closed` or `.cancelled`.
    package func waitUntilConnected(timeout: Duration) async throws(AMQPError) {
        try await status.waitUntilConnected(timeout: timeout)
    }

    /// Publishes a request and returns its reply.
    ///
    /// - Parameters:
    ///   - message: the request. `replyTo`, `correlationID` and `isMandatory` are set here; `messageID` is the caller's.
    ///   - timeout: how long to wait, reconnects included.
    /// - Throws: `.timedOut` (with the reason, when there is no connection), `.returned` when no queue takes the
    ///   request, `.nacked`, `.channelClosed`, `.givenUp`, `.refused`, `.closed`; `.cancelled` when the task is cancelled, although
    ///   the request may still be served.
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
        let cancelled = AMQPError(.cancelled, "the task was cancelled before the reply came")
        return try await call.answer.value(whenCancelled: .failure(cancelled)) { [inbox] in
            _ = inbox.put(.forget(call.id))
        }.get()
    }

    /// The connection's thread, which watches the deadlines, does not run before `run()`.
    private func waitBeforeStart(_ call: RPCCall, _ timeout: Duration) async throws(AMQPError) -> AMQPDelivery {
        let timer = Task {
            try await Task.sleep(for: timeout)
            call.answer.complete(.failure(status.timeout))
        }
        defer { timer.cancel() }
        return try await result(of: call)
    }
}

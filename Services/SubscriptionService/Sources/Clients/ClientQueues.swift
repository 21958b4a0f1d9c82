internal import AMQPClient
internal import CloudKitModel
internal import Logging
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages

/// Declares, looks up and deletes the queues of registered clients.
///
/// A queue is declared only if it does not exist. An instance with other settings may have declared it, and the broker
/// would refuse to declare it again with other arguments. So changed settings apply to new queues.
struct ClientQueues: Service {
    /// How long a request is retried for a caller without a deadline, because it occupies a worker.
    private static let patience = Duration.seconds(10)
    /// The pause between two attempts.
    private static let pause = Duration.milliseconds(250)
    /// The broker's reply code for a queue that exists with other arguments.
    private static let preconditionFailed = 406

    private let session: AMQPChannelSession
    private let bounds: ClientQueueBounds
    private let logger: Logger

    /// Creates queues with these limits. Connects when the first queue is needed.
    init(_ configuration: AMQPConfiguration, bounds: ClientQueueBounds, logger: Logger) {
        var configuration = configuration
        configuration.connectTimeout = .seconds(2)
        configuration.rpcTimeout = .seconds(5)
        session = AMQPChannelSession(configuration: configuration)
        self.bounds = bounds
        self.logger = logger
    }

    /// Closes the connection at graceful shutdown.
    func run() async throws {
        try? await gracefulShutdown()
        await session.close()
    }

    /// Declares and binds a client's queue if necessary. An existing queue keeps its messages; looking it up restarts
    /// the time after which the broker deletes an unused queue.
    ///
    /// - Throws: `AMQPError`. Takes two round trips, or three for a new queue.
    func makeSure(of name: String) async throws(AMQPError) {
        let topology = Topology.client(name, bounds)
        if try await session.status(ofQueue: Queue.client(name)) == nil {
            do throws(AMQPError) {
                return try await session.declare(topology)
            } catch {
                // Another instance has declared it.
                guard error.replyCode == Self.preconditionFailed else { throw error }
            }
        }
        // The instance that declared it may have stopped before it bound the queue.
        try await session.declare(AMQPTopology(bindings: topology.bindings))
    }

    /// The numbers of messages and consumers of a client's queue; nil when it does not exist.
    ///
    /// - Throws: `AMQPError`.
    func status(of name: String) async throws(AMQPError) -> AMQPQueueStatus? {
        try await session.status(ofQueue: Queue.client(name))
    }

    /// Deletes a client's queue and its messages, if it exists.
    ///
    /// - Throws: `AMQPError`.
    func delete(_ name: String) async throws(AMQPError) {
        try await session.deleteQueue(Queue.client(name))
    }

    /// Runs `work`, and repeats it when it fails, until the request's deadline.
    ///
    /// - Throws: `TRY_AGAIN_LATER` past the deadline; `ServiceStopping` when the service is shutting down.
    func retrying<Value>(
        _ context: RequestContext, _ work: () async throws(AMQPError) -> Value
    ) async throws -> Value {
        let deadline = context.deadline ?? SystemClock.milliseconds() + Self.patience.milliseconds
        while true {
            do throws(AMQPError) {
                return try await work()
            } catch {
                if error.isEnding || Task.isCancelled { throw ServiceStopping() }
                // A refusal would be repeated.
                guard error.code != .refused, SystemClock.milliseconds() < deadline else {
                    logger.warning("a client's queue cannot be reached", metadata: ["error": "\(error)"])
                    throw ServerError(.clientQueueAway, "The client's queue is temporarily unavailable")
                }
            }
            do {
                try await Task.sleep(for: Self.pause)
            } catch {
                throw ServiceStopping()
            }
        }
    }
}

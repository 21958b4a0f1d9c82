internal import AMQPClient
internal import CloudKitModel
internal import Logging
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages

/// Declares, looks up and deletes the queues of registered clients.
///
/// A queue is declared only if it does not exist: an instance with different settings may already have declared it, and
/// the broker refuses to declare an existing queue with different arguments. Changed settings therefore apply only to
/// new queues.
struct ClientQueues: Service {
    /// How long a request without a deadline is retried. The time is limited because the request occupies a worker.
    private static let patience = Duration.seconds(10)
    /// The pause between attempts.
    private static let pause = Duration.milliseconds(250)
    /// The broker's reply code for a queue that already exists with different arguments.
    private static let preconditionFailed = 406

    private let session: AMQPChannelSession
    private let bounds: ClientQueueBounds
    private let logger: Logger

    /// Creates an object that declares queues with the limits `bounds`. It connects when a queue is first needed.
    init(_ configuration: AMQPConfiguration, bounds: ClientQueueBounds, logger: Logger) {
        var configuration = configuration
        configuration.connectTimeout = .seconds(2)
        configuration.rpcTimeout = .seconds(5)
        session = AMQPChannelSession(configuration: configuration)
        self.bounds = bounds
        self.logger = logger
    }

    /// Waits for graceful shutdown, and then closes the connection.
    func run() async throws {
        try? await gracefulShutdown()
        await session.close()
    }

    /// Declares and binds a client's queue if necessary. An existing queue keeps its messages. Looking it up resets its
    /// expiry timer (`x-expires`). Takes two round trips, or three for a new queue.
    ///
    /// - Throws: `AMQPError`.
    func makeSure(of name: String) async throws(AMQPError) {
        let topology = Topology.client(name, bounds)
        if try await session.status(ofQueue: Queue.client(name)) == nil {
            do throws(AMQPError) {
                return try await session.declare(topology)
            } catch {
                // Another instance has declared the queue in the meantime.
                guard error.replyCode == Self.preconditionFailed else { throw error }
            }
        }
        // The instance that declared the queue may have stopped before it bound the queue.
        try await session.declare(AMQPTopology(bindings: topology.bindings))
    }

    /// Returns the message and consumer counts of a client's queue, or nil if the queue does not exist.
    ///
    /// - Throws: `AMQPError`.
    func status(of name: String) async throws(AMQPError) -> AMQPQueueStatus? {
        try await session.status(ofQueue: Queue.client(name))
    }

    /// Deletes a client's queue and its messages, if the queue exists.
    ///
    /// - Throws: `AMQPError`.
    func delete(_ name: String) async throws(AMQPError) {
        try await session.deleteQueue(Queue.client(name))
    }

    /// Runs `work`, and retries it after failures until the request's deadline.
    ///
    /// - Throws: `TRY_AGAIN_LATER` if the broker refuses the request or the deadline passes; `ServiceStopping` if the
    ///   service is shutting down.
    func retrying<Value>(
        _ context: RequestContext, _ work: () async throws(AMQPError) -> Value
    ) async throws -> Value {
        let deadline = context.deadline ?? SystemClock.milliseconds() + Self.patience.milliseconds
        while true {
            do throws(AMQPError) {
                return try await work()
            } catch {
                if error.isEnding || Task.isCancelled { throw ServiceStopping() }
                // A retry would be refused too.
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

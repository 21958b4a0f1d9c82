internal import AMQPClient
internal import CloudKitModel
internal import Logging
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages

/// The queues of registered clients: declared, looked up and deleted while the service runs.
///
/// A queue is only declared when a look-up has not found it: it may have been made by an instance with other settings,
/// and declaring it with other arguments would be refused. A setting that was changed holds for new queues.
struct ClientQueues: Service {
    /// How long the broker is asked for a caller who gave no deadline: a worker must not be kept for ever.
    private static let patience = Duration.seconds(10)
    /// Between two attempts.
    private static let pause = Duration.milliseconds(250)
    /// The broker's code for a queue that is there, with other arguments.
    private static let isDifferent = 406

    private let session: AMQPChannelSession
    private let bounds: ClientQueueBounds
    private let logger: Logger

    /// Queues of those bounds; nothing is connected before the first is asked for.
    init(_ configuration: AMQPConfiguration, bounds: ClientQueueBounds, logger: Logger) {
        var configuration = configuration
        configuration.connectTimeout = .seconds(2)
        configuration.rpcTimeout = .seconds(5)
        session = AMQPChannelSession(configuration: configuration)
        self.bounds = bounds
        self.logger = logger
    }

    /// Until graceful shutdown, when the connection is closed.
    func run() async throws {
        try? await gracefulShutdown()
        await session.close()
    }

    /// Makes sure that a client's queue is there and bound. A queue that was there keeps what it holds, and is looked up,
    /// which to the broker is a sign of life.
    ///
    /// - Throws: `AMQPError`. Two round trips; three for a new queue.
    func makeSure(of name: String) async throws(AMQPError) {
        let topology = Topology.client(name, bounds)
        if try await session.status(ofQueue: Queue.client(name)) == nil {
            do throws(AMQPError) {
                return try await session.declare(topology)
            } catch {
                // Another instance was first.
                guard error.replyCode == Self.isDifferent else { throw error }
            }
        }
        // Whoever declared it may have ended before it was bound.
        try await session.declare(AMQPTopology(bindings: topology.bindings))
    }

    /// What a client's queue holds, and how many read it; nil when it is not there.
    ///
    /// - Throws: `AMQPError`.
    func status(of name: String) async throws(AMQPError) -> AMQPQueueStatus? {
        try await session.status(ofQueue: Queue.client(name))
    }

    /// Deletes a client's queue with what it holds; it need not be there.
    ///
    /// - Throws: `AMQPError`.
    func delete(_ name: String) async throws(AMQPError) {
        try await session.deleteQueue(Queue.client(name))
    }

    /// Runs `work`, again when it fails, until the request's deadline.
    ///
    /// - Throws: `TRY_AGAIN_LATER` past the deadline; ``Withheld`` when the service is ending.
    func outlast<Value>(
        _ context: RequestContext, _ work: () async throws(AMQPError) -> Value
    ) async throws -> Value {
        let deadline = context.deadline ?? SystemClock.milliseconds() + Self.patience.milliseconds
        while true {
            do throws(AMQPError) {
                return try await work()
            } catch {
                if error.isEnding || Task.isCancelled { throw Withheld() }
                // What is refused for its own sake would be so again.
                guard error.code != .refused, SystemClock.milliseconds() < deadline else {
                    logger.warning("a client's queue cannot be reached", metadata: ["error": "\(error)"])
                    throw ServerError(.clientQueueAway, "The client's queue cannot be reached")
                }
            }
            do {
                try await Task.sleep(for: Self.pause)
            } catch {
                throw Withheld()
            }
        }
    }
}

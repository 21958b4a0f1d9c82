internal import AMQPClient
internal import Metrics
internal import ServiceLifecycle
internal import ServiceRuntime

/// Asks the broker now and then how much waits in the queues that a service consumes.
///
/// Over a connection of its own: a passive declaration of a queue that is gone closes the channel that it is made on.
struct QueueWatch: Service {
    private static let interval = Duration.seconds(10)
    private static let messages = MetricFamily.gauge(
        "zonda_queue_messages", "Messages ready in a queue, waiting for a consumer; NaN when the broker does not say.")

    private let configuration: AMQPConfiguration
    private let queues: [(name: String, messages: Meter)]

    init(_ queues: [String], configuration: AMQPConfiguration, metrics: ServiceMetrics) {
        var configuration = configuration
        configuration.connectTimeout = .seconds(2)
        configuration.rpcTimeout = .seconds(2)
        self.configuration = configuration
        self.queues = queues.map { ($0, metrics.gauge(Self.messages, ["queue": $0])) }
    }

    /// Until graceful shutdown.
    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            try await AMQPChannelSession.with(configuration) { session in
                while !Task.isCancelled {
                    for (name, messages) in queues {
                        // Trouble with the broker is told by those who need it more.
                        messages.set(
                            (try? await session.status(ofQueue: name))?.map { Double($0.messageCount) } ?? .nan)
                    }
                    try await Task.sleep(for: Self.interval)
                }
            }
        }
    }
}

internal import AMQPClient
internal import Metrics
internal import ServiceLifecycle
internal import ServiceRuntime

/// A poller that asks the broker every ten seconds for the number of messages in each queue that a service consumes.
///
/// It uses its own connection, because the passive declaration of a missing queue closes the channel.
struct QueueWatch: Service {
    private static let interval = Duration.seconds(10)
    private static let messages = MetricFamily.gauge(
        "zonda_queue_messages", "Messages that are ready in a queue; NaN if the broker did not report the number.")

    private let configuration: AMQPConfiguration
    private let queues: [(name: String, messages: Meter)]

    init(_ queues: [String], configuration: AMQPConfiguration, metrics: ServiceMetrics) {
        var configuration = configuration
        configuration.connectTimeout = .seconds(2)
        configuration.rpcTimeout = .seconds(5)
        self.configuration = configuration
        self.queues = queues.map { ($0, metrics.gauge(Self.messages, ["queue": $0])) }
        for (_, messages) in self.queues { messages.set(Double.nan) }
    }

    /// Polls until graceful shutdown.
    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            try await AMQPChannelSession.with(configuration) { session in
                while !Task.isCancelled {
                    await ask(session)
                    try await Task.sleep(for: Self.interval)
                }
            }
        }
    }

    private func ask(_ session: AMQPChannelSession) async {
        var counts: [String: Int] = [:]
        do {
            for (name, _) in queues { counts[name] = try await session.status(ofQueue: name)?.messageCount }
        } catch {
            // The broker is unreachable, which other metrics report. The remaining queues are skipped, because each
            // request would only time out.
        }
        for (name, messages) in queues { messages.set(counts[name].map(Double.init) ?? .nan) }
    }
}

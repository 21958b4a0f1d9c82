internal import AMQPClient
internal import CoreMetrics
internal import DequeModule
internal import Hummingbird
internal import ServiceRuntime
internal import Synchronization

/// One stream of server-sent events: see ``EventStreams``.
final class EventStream: Sendable {
    /// The time between checks for events to acknowledge and for a heartbeat that is due.
    private static let tick = Duration.seconds(1)
    /// How long a crowded stream waits for the client's host to receive earlier events before it handles new ones.
    private static let crowdedWait = Duration.seconds(1)
    /// The number of event ids that are kept for a client that reconnects. It is larger than the maximum number of
    /// unacknowledged events.
    private static let maxRemembered = 2 * Int(EventWindow.prefetch)

    private enum Input {
        case delivered([AMQPDelivery])
        case tick
    }

    private struct State {
        var sent: Deque<String> = []
        var reading: AMQPReading?
    }

    /// The client's name.
    let client: String
    private let seen: SeenEvents
    private let state = Mutex(State())

    init(client: String, seen: SeenEvents) { (self.client, self.seen) = (client, seen) }

    /// Returns the ids of the events sent up to and including `id`, except those that are no longer kept; nil if `id`
    /// itself is not kept.
    func sent(through id: String) -> Set<String>? {
        state.withLock { state in state.sent.firstIndex(of: id).map { Set(state.sent[...$0]) } }
    }

    /// Sets the operation that reads the client's queue.
    func begin(_ reading: AMQPReading) { state.withLock { $0.reading = reading } }

    /// Ends the stream because its client has opened a new one. Unacknowledged events return to the queue.
    func end() { state.withLock { $0.reading }?.end() }

    /// Runs until the client disconnects, its queue is removed, or the service shuts down.
    ///
    /// - Throws: the error from a write if the client has disconnected.
    @concurrent func run(
        _ reading: AMQPReading, _ connection: ClientConnection, heartbeat: Duration, resume: Duration,
        metrics: CourierMetrics, writer: inout any ResponseBodyWriter
    ) async throws {
        var window = EventWindow(life: resume)
        defer {
            state.withLock { $0.reading = nil }
            // The window contains the events that the client's host has not received, and those that the client can
            // still request again.
            if window.count > 0 { metrics.returned[.stream].increment(by: window.count) }
        }
        var writtenAt = ContinuousClock.now
        try await writer.write(EventFrame.opening)
        let (inputs, continuation) = AsyncStream.makeStream(of: Input.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // The prefetch count limits the number of deliveries that are waiting here.
                while let deliveries = await reading.next() { continuation.yield(.delivered(deliveries)) }
                continuation.finish()
            }
            group.addTask {
                while (try? await Task.sleep(for: Self.tick)) != nil { continuation.yield(.tick) }
            }
            defer { group.cancelAll() }
            for await input in inputs {
                let unseen: [AMQPDelivery]
                switch input {
                case .delivered(let deliveries):
                    let sorted = seen.sort(deliveries)
                    reading.acknowledge(sorted.seen)
                    unseen = sorted.unseen
                case .tick:
                    unseen = []
                    if ContinuousClock.now - writtenAt >= heartbeat {
                        try await writer.write(EventFrame.heartbeat)
                        writtenAt = .now
                    }
                }
                for delivery in unseen where !window.renew(delivery) {
                    remember(delivery)
                    try await writer.write(EventFrame.event(delivery))
                    writtenAt = .now
                    window.add(delivery, at: writtenAt)
                }
                guard window.hasDue(at: .now) else { continue }
                let limit = window.isCrowded ? Self.crowdedWait : .zero
                if await connection.hasReceivedEverything(within: limit) {
                    let due = window.takeDue(at: .now)
                    reading.acknowledge(due)
                    metrics.delivered[.stream].increment(by: due.count)
                }
            }
        }
    }

    private func remember(_ delivery: AMQPDelivery) {
        guard let id = delivery.properties.messageID else { return }
        state.withLock { state in
            if state.sent.count == Self.maxRemembered { state.sent.removeFirst() }
            state.sent.append(id)
        }
    }
}

internal import AMQPClient
internal import CoreMetrics
internal import DequeModule
internal import Hummingbird
internal import ServiceRuntime
internal import Synchronization

/// One stream of server-sent events: see ``EventStreams``.
final class EventStream: Sendable {
    /// Between two looks at what may be acknowledged, and at whether a sign of life is due.
    private static let tick = Duration.seconds(1)
    /// How long a crowded stream waits for the client's host before it looks for new events.
    private static let crowdedWait = Duration.seconds(1)
    /// Events that are remembered for whoever comes back; more than there can be without an acknowledgement.
    private static let maxRemembered = 2 * Int(EventWindow.prefetch)

    private enum Happening {
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

    /// The events that it has sent up to that one, as far as they are remembered; nil: that one it has not sent.
    func sent(through id: String) -> Set<String>? {
        state.withLock { state in state.sent.firstIndex(of: id).map { Set(state.sent[...$0]) } }
    }

    /// It reads from now on.
    func begin(_ reading: AMQPReading) { state.withLock { $0.reading = reading } }

    /// Ends it from outside: what it has not acknowledged returns to the queue.
    func end() { state.withLock { $0.reading }?.end() }

    /// Until the client is gone, its queue is, or the service ends.
    ///
    /// - Throws: what writing throws when the client is gone.
    @concurrent func run(
        _ reading: AMQPReading, _ line: ClientLine, heartbeat: Duration, resume: Duration, metrics: CourierMetrics,
        writer: inout any ResponseBodyWriter
    ) async throws {
        var window = EventWindow(life: resume)
        defer {
            state.withLock { $0.reading = nil }
            // Those that the client's host has not got, and those that it has and may ask for.
            if window.count > 0 { metrics.returned[.stream].increment(by: window.count) }
        }
        var writtenAt = ContinuousClock.now
        try await writer.write(EventFrame.opening)
        let (happenings, happened) = AsyncStream.makeStream(of: Happening.self)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                // What waits here is bounded by the prefetch count.
                while let deliveries = await reading.next() { happened.yield(.delivered(deliveries)) }
                happened.finish()
            }
            group.addTask {
                while (try? await Task.sleep(for: Self.tick)) != nil { happened.yield(.tick) }
            }
            defer { group.cancelAll() }
            for await happening in happenings {
                let unseen: [AMQPDelivery]
                switch happening {
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
                if await line.hasReceivedEverything(within: limit) {
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

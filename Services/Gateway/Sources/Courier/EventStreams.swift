internal import AMQPClient
internal import DequeModule
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Synchronization

/// The streams of server-sent events of one gateway.
///
/// **What a client can rely on.** Each notification is an event with the notification's own `id`, by which repeats are known.
/// It is acknowledged to the broker when the client's host has received it and either ``EventWindow`` has no more room
/// or the time `resume` has passed. A client that comes back with `Last-Event-ID` gets what followed that event: what
/// was not acknowledged returns to its place in the queue when a stream ends, and what the client has seen of it is
/// passed over (``SeenEvents``). So nothing is lost by a connection that breaks, or a page that is loaded again; an event
/// may come twice, to a client that names no last event or comes back to another gateway, or to one that was
/// started anew.
///
/// A stream that nobody knows to be broken yet is ended when the client comes back for it, if it comes back to the same
/// gateway; otherwise its events come when that gateway finds out.
final class EventStreams: Sendable {
    private struct State {
        /// Those of each client.
        var living: [String: [EventStream]] = [:]
        /// The last ones that ended, oldest first: their clients may come back.
        var ended: Deque<EventStream> = []

        mutating func end(_ stream: EventStream) {
            living[stream.client]?.removeAll { $0 === stream }
            if living[stream.client]?.isEmpty == true { living[stream.client] = nil }
            if ended.count == EventStreams.maxEnded { ended.removeFirst() }
            ended.append(stream)
        }
    }

    /// Ended streams that are remembered, with a few ids each.
    private static let maxEnded = 1000

    private let heartbeat: Duration
    private let resume: Duration
    private let metrics: CourierMetrics
    private let state = Mutex(State())

    init(heartbeat: Duration, resume: Duration, metrics: CourierMetrics) {
        (self.heartbeat, self.resume, self.metrics) = (heartbeat, resume, metrics)
    }

    /// Notes a stream for the client of that name, and ends the one that it goes on with, if it was not known to be over:
    /// before the queue is read again, so that what that one held is read first.
    func begin(of client: String, after lastEventID: String?) -> EventStream {
        guard let id = lastEventID, id.utf8.count <= EventFrame.maxIDBytes else {
            return EventStream(client: client, seen: SeenEvents())
        }
        let (living, ended) = state.withLock { state in
            (state.living[client] ?? [], state.ended.filter { $0.client == client })
        }
        var seen: Set<String> = []
        for stream in ended { seen.formUnion(stream.sent(through: id) ?? []) }
        for stream in living {
            guard let sent = stream.sent(through: id) else { continue }
            stream.end()
            seen.formUnion(sent)
        }
        return EventStream(client: client, seen: SeenEvents(seen))
    }

    /// The answer that lasts.
    func response(
        _ stream: EventStream, _ reading: AMQPReading, _ line: ClientLine, _ place: CourierPlace
    ) -> Response {
        stream.begin(reading)
        let body = ResponseBody { [self] writer in
            state.withLock { $0.living[stream.client, default: []].append(stream) }
            defer {
                reading.end()
                state.withLock { $0.end(stream) }
            }
            line.whenOver { reading.stop() }
            place.attach(reading)
            defer { place.detach() }
            try await stream.run(
                reading, line, heartbeat: heartbeat, resume: resume, metrics: metrics, writer: &writer)
            line.whenOver(nil)
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream; charset=UTF-8",
                // For proxies that would rather send more at once (nginx).
                HTTPField.Name("X-Accel-Buffering")!: "no",
            ], body: body)
    }
}

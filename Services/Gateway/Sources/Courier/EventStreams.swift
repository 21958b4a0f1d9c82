internal import AMQPClient
internal import DequeModule
internal import Foundation
internal import HTTPTypes
internal import Hummingbird
internal import Synchronization

/// The server-sent event streams of one gateway instance.
///
/// **Guarantees.** Each notification is sent as an event with the notification's own `id`, by which clients recognize
/// repeats. An event is acknowledged to the broker when the client's host has received it and either ``EventWindow`` is full or the
/// `resume` time has passed. A client that reconnects with `Last-Event-ID` receives the events that followed: when a
/// stream ends, its unacknowledged events return to their positions in the queue, and the next stream skips the events
/// that the client has received (``SeenEvents``). Therefore, no event is lost when a connection breaks or a page is
/// reloaded. A client might receive an event twice if it sends no `Last-Event-ID`, reconnects to another gateway, or
/// reconnects to a gateway that has restarted.
///
/// If a stream breaks unnoticed, it is ended when the client reconnects to the same gateway. If the client reconnects
/// to another gateway, it receives its events only after the first gateway has detected the break.
final class EventStreams: Sendable {
    private struct State {
        /// The open streams of each client.
        var open: [String: [EventStream]] = [:]
        /// The streams that ended most recently, oldest first. Their clients might reconnect.
        var ended: Deque<EventStream> = []

        mutating func end(_ stream: EventStream) {
            open[stream.client]?.removeAll { $0 === stream }
            if open[stream.client]?.isEmpty == true { open[stream.client] = nil }
            if ended.count == EventStreams.maxEnded { ended.removeFirst() }
            ended.append(stream)
        }
    }

    /// The number of ended streams that are kept, each with a few ids.
    private static let maxEnded = 1000

    private let heartbeat: Duration
    private let resume: Duration
    private let metrics: CourierMetrics
    private let state = Mutex(State())

    init(heartbeat: Duration, resume: Duration, metrics: CourierMetrics) {
        (self.heartbeat, self.resume, self.metrics) = (heartbeat, resume, metrics)
    }

    /// Creates a stream for a client. If it resumes a stream that is still open, the old stream is ended before the
    /// queue is read again, so that the old stream's events return to the queue and are read first.
    func begin(of client: String, after lastEventID: String?) -> EventStream {
        guard let id = lastEventID, id.utf8.count <= EventFrame.maxIDBytes else {
            return EventStream(client: client, seen: SeenEvents())
        }
        let (open, ended) = state.withLock { state in
            (state.open[client] ?? [], state.ended.filter { $0.client == client })
        }
        var seen: Set<String> = []
        for stream in ended { seen.formUnion(stream.sent(through: id) ?? []) }
        for stream in open {
            guard let sent = stream.sent(through: id) else { continue }
            stream.end()
            seen.formUnion(sent)
        }
        return EventStream(client: client, seen: SeenEvents(seen))
    }

    /// Returns the response whose body is the stream.
    func response(
        _ stream: EventStream, _ reading: AMQPReading, _ connection: ClientConnection, _ permit: CourierPermit
    ) -> Response {
        stream.begin(reading)
        let body = ResponseBody { [self] writer in
            state.withLock { $0.open[stream.client, default: []].append(stream) }
            defer {
                reading.end()
                state.withLock { $0.end(stream) }
            }
            connection.whenOver { reading.stop() }
            permit.attach(reading)
            defer { permit.detach() }
            try await stream.run(
                reading, connection, heartbeat: heartbeat, resume: resume, metrics: metrics, writer: &writer)
            connection.whenOver(nil)
            try await writer.finish(nil)
        }
        return Response(
            status: .ok,
            headers: [
                .contentType: "text/event-stream; charset=UTF-8",
                // Prevents proxies such as nginx from buffering.
                HTTPField.Name("X-Accel-Buffering")!: "no",
            ], body: body)
    }
}

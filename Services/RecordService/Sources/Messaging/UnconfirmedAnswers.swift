internal import AMQPClient
internal import RequestServing
internal import ServiceMessages
internal import Synchronization

/// Writes and sends the answers of lanes, and bounds what waits to be confirmed: while the broker takes nothing, the lanes
/// wait instead of writing answers to everything that they hold.
final class UnconfirmedAnswers: Sendable {
    /// Past this many bytes of all lanes, what a lane has sent is confirmed before it writes the next answer.
    static let maxBytes = 16 << 20

    private let bytes = Atomic(0)

    /// Publishes events and answers. Returns at once as a rule; where the bound is reached, or a request is a suspect, when
    /// they are confirmed.
    func send(
        _ writes: [AnsweredWrite], events: [ChangeEvent], with responder: Responder, consumer: AMQPConsumer
    ) async {
        var events = events
        var responses: [Response] = []
        var size = 0
        for write in writes {
            let answer = write.answer()
            let request = write.request
            responses.append(Response(request.delivery, answer, requestID: request.context.requestID))
            size += answer.body.count
            let total = bytes.add(answer.body.count, ordering: .relaxed).newValue
            // The next suspect may end the process: this one's acknowledgement goes out before.
            guard total > Self.maxBytes || request.isSuspect else { continue }
            await responder.sendAndWait(responses, events: events, consumer: consumer)
            bytes.subtract(size, ordering: .relaxed)
            (responses, events, size) = ([], [], 0)
        }
        guard !responses.isEmpty else { return }
        responder.send(responses, events: events, consumer: consumer) { [self, size] in
            bytes.subtract(size, ordering: .relaxed)
        }
    }
}

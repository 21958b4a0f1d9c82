internal import AMQPClient
internal import RequestServing
internal import ServiceMessages
internal import Synchronization

/// Sends the answers of lanes, and bounds what waits to be confirmed: while the broker takes nothing, the lanes wait
/// instead of making answers to everything that they hold.
final class UnconfirmedAnswers: Sendable {
    /// Past this many bytes of all lanes a transaction's answers are confirmed before its lane takes the next.
    static let maxBytes = 16 << 20

    private let bytes = Atomic(0)

    /// Publishes answers and events; returns when they are confirmed where `confirmsFirst` or where the bound is reached,
    /// otherwise at once.
    func send(
        _ responses: [Response], events: [ChangeEvent], with responder: Responder, consumer: AMQPConsumer,
        confirmsFirst: Bool
    ) async {
        guard !responses.isEmpty else { return }
        let size = responses.reduce(0) { $0 + $1.answer.body.count }
        let total = bytes.add(size, ordering: .relaxed).newValue
        if confirmsFirst || total > Self.maxBytes {
            await responder.sendAndWait(responses, events: events, consumer: consumer)
            bytes.subtract(size, ordering: .relaxed)
        } else {
            responder.send(responses, events: events, consumer: consumer) { [self] in
                bytes.subtract(size, ordering: .relaxed)
            }
        }
    }
}

internal import AMQPClient
internal import RequestServing
internal import ServiceMessages
internal import Synchronization

/// Writes and sends the answers of lanes, and bounds the bytes that wait to be confirmed: while the broker takes nothing,
/// the lanes wait instead of writing answers to everything that they hold.
final class UnconfirmedAnswers: Sendable {
    /// While more bytes of all lanes are unconfirmed, a lane waits for the confirmation of a piece of its answers before it
    /// writes the next.
    static let maxBytes = 16 << 20
    /// A piece has at least so many bytes: a lane with small answers does not wait for each of them.
    static let pieceBytes = 256 << 10

    private let bytes = Atomic(0)
    private let downloads: AssetDownloads?
    private let maxAnswerBytes: Int

    /// - Parameters:
    ///   - downloads: the addresses of assets in answers; nil: answers contain none.
    ///   - maxAnswerBytes: the largest body of an answer.
    init(downloads: AssetDownloads?, maxAnswerBytes: Int) {
        self.downloads = downloads
        self.maxAnswerBytes = maxAnswerBytes
    }

    /// Publishes events and answers. Returns at once as a rule; where the bound is reached, or a request is a suspect, when
    /// they are confirmed.
    func send(
        _ writes: [AnsweredWrite], events: [ChangeEvent], with responder: Responder, consumer: AMQPConsumer
    ) async {
        var events = events
        var responses: [Response] = []
        var size = 0
        for (index, write) in writes.enumerated() {
            let answer = write.answer(downloads: downloads, maxBytes: maxAnswerBytes)
            let request = write.request
            responses.append(Response(request.delivery, answer, requestID: request.context.requestID))
            size += answer.body.count
            let total = bytes.add(answer.body.count, ordering: .relaxed).newValue
            let isPiece = size >= Self.pieceBytes || index == writes.count - 1
            // The next suspect may end the process: this one's acknowledgement goes out before.
            guard request.isPoisonCandidate || (isPiece && total > Self.maxBytes) else { continue }
            let isConfirmed = await responder.sendAndWait(responses, events: events, consumer: consumer)
            bytes.subtract(size, ordering: .relaxed)
            // The broker delivers again what the publisher that has ended did not send.
            guard isConfirmed else { return }
            (responses, events, size) = ([], [], 0)
        }
        guard !responses.isEmpty else { return }
        responder.send(responses, events: events, consumer: consumer) { [self, size] _ in
            bytes.subtract(size, ordering: .relaxed)
        }
    }
}

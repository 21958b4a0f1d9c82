internal import AMQPClient
internal import RequestServing
internal import ServiceMessages
internal import Synchronization

/// Renders and sends the lanes' answers, and limits the number of bytes that are waiting for a publisher confirm. While
/// the broker accepts no messages, the lanes wait instead of rendering the answers to all of their requests.
final class UnconfirmedAnswers: Sendable {
    /// The limit on the unconfirmed bytes of all lanes together. Above it, a lane waits until one piece of its answers
    /// has been confirmed before it renders the next piece.
    static let maxBytes = 16 << 20
    /// The minimum size of a piece, in bytes. It ensures that a lane with small answers does not wait for each of them.
    static let pieceBytes = 256 << 10

    private let bytes = Atomic(0)
    private let downloads: AssetDownloads?
    private let maxAnswerBytes: Int

    /// - Parameters:
    ///   - downloads: issues download URLs for the assets that answers contain; nil if answers contain no URLs.
    ///   - maxAnswerBytes: the maximum size of an answer's body, in bytes.
    init(downloads: AssetDownloads?, maxAnswerBytes: Int) {
        self.downloads = downloads
        self.maxAnswerBytes = maxAnswerBytes
    }

    /// Publishes events and answers, usually without waiting. If the limit is reached, the method waits for the
    /// confirm. If a request is a poison candidate, the method waits until its acknowledgement has been sent.
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
            // The next poison candidate might crash the process, so this one is acknowledged first.
            guard request.isPoisonCandidate || (isPiece && total > Self.maxBytes) else { continue }
            let isConfirmed = await responder.sendAndWait(responses, events: events, consumer: consumer)
            bytes.subtract(size, ordering: .relaxed)
            // The publisher has stopped, and the broker redelivers the requests whose answers were not sent.
            guard isConfirmed else { return }
            // The consumer's thread sends the acknowledgement. If the process crashed before that, the broker would
            // count another redelivery of a finished request and eventually dead-letter it.
            if request.isPoisonCandidate { _ = await consumer.acknowledgeNow(request.delivery) }
            (responses, events, size) = ([], [], 0)
        }
        guard !responses.isEmpty else { return }
        responder.send(responses, events: events, consumer: consumer) { [self, size] _ in
            bytes.subtract(size, ordering: .relaxed)
        }
    }
}

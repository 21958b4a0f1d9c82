internal import AMQPClient
internal import RequestServing
internal import ServiceMessages
internal import Synchronization

/// Renders and sends the answers of lanes, and bounds the bytes that wait for a confirm: while the broker accepts
/// nothing, the lanes wait instead of rendering the answers to everything that they hold.
final class UnconfirmedAnswers: Sendable {
    /// The limit. While more bytes of all lanes are unconfirmed, a lane waits for the confirm of a piece of its answers
    /// before it renders the next.
    static let maxBytes = 16 << 20
    /// The smallest piece, so that a lane with small answers does not wait for each of them.
    static let pieceBytes = 256 << 10

    private let bytes = Atomic(0)
    private let downloads: AssetDownloads?
    private let maxAnswerBytes: Int

    /// - Parameters:
    ///   - downloads: the addresses of assets in answers; nil if answers contain none.
    ///   - maxAnswerBytes: the largest body of an answer.
    init(downloads: AssetDownloads?, maxAnswerBytes: Int) {
        self.downloads = downloads
        self.maxAnswerBytes = maxAnswerBytes
    }

    /// Publishes events and answers. Usually returns at once; returns after the confirm if the limit is reached, and
    /// after the acknowledgement was sent if a request is a poison candidate.
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
            // The next poison candidate may end the process, so this one is acknowledged first.
            guard request.isPoisonCandidate || (isPiece && total > Self.maxBytes) else { continue }
            let isConfirmed = await responder.sendAndWait(responses, events: events, consumer: consumer)
            bytes.subtract(size, ordering: .relaxed)
            // The publisher has ended, and the broker redelivers what was not sent.
            guard isConfirmed else { return }
            // The acknowledgement waits for the consumer's thread. If the process ended before, the broker would count one
            // more redelivery of a request that is done, and dead-letter it in the end.
            if request.isPoisonCandidate { _ = await consumer.acknowledgeNow(request.delivery) }
            (responses, events, size) = ([], [], 0)
        }
        guard !responses.isEmpty else { return }
        responder.send(responses, events: events, consumer: consumer) { [self, size] _ in
            bytes.subtract(size, ordering: .relaxed)
        }
    }
}

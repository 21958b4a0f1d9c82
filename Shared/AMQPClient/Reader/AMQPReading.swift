/// The reading of one queue. Its release ends it: what was delivered and not acknowledged returns to its place in the
/// queue.
package final class AMQPReading: Sendable {
    private let mailbox: ReadingMailbox
    private let inbox: Inbox<ReaderCommand>

    init(_ mailbox: ReadingMailbox, _ inbox: Inbox<ReaderCommand>) {
        (self.mailbox, self.inbox) = (mailbox, inbox)
    }

    deinit { _ = inbox.put(.end(mailbox.id)) }

    /// The queue.
    package var queue: String { mailbox.queue }

    /// What has arrived since it was last asked for, at least one delivery; waits for it. Nil when nothing more comes:
    /// after ``stop()``, when the reader shuts down, when the queue was deleted, when the task is cancelled, or when
    /// this reading held too much. To be called by one task at a time.
    ///
    /// After the connection was lost the same messages come again, marked `isRedelivered`.
    package func next() async -> [AMQPDelivery]? { await mailbox.buffer.next() }

    /// Tells the broker, soon, that these deliveries are done, in any order. Any thread; never blocks. Those of an
    /// earlier connection are ignored.
    package func acknowledge(_ deliveries: [AMQPDelivery]) {
        if !deliveries.isEmpty { _ = inbox.put(.acknowledge(mailbox.id, deliveries)) }
    }

    /// Has nothing more delivered; ``next()`` returns what has arrived, then nil. What was delivered may still be
    /// acknowledged: the broker knows of the end before it hears of later acknowledgements, and so does not send the
    /// next message into the void. Any thread; never blocks.
    package func stop() {
        _ = inbox.put(.stop(mailbox.id))
        mailbox.buffer.finish()
    }

    /// Ends the reading as its release would, at once. Any thread; never blocks.
    package func end() {
        mailbox.buffer.finish()
        _ = inbox.put(.end(mailbox.id))
    }
}

/// What the reading's holder and the connection's thread share.
final class ReadingMailbox: Sendable {
    /// The consumer's tag is made of it.
    let id: UInt64
    let queue: String
    let prefetch: UInt16
    let buffer = DeliveryBuffer()
    /// The broker's.
    let consent = Completion<Result<Void, AMQPError>>()

    init(id: UInt64, queue: String, prefetch: UInt16) {
        (self.id, self.queue, self.prefetch) = (id, queue, prefetch)
    }

    /// Nothing more comes.
    func finish(_ error: AMQPError) {
        consent.complete(.failure(error))
        buffer.finish()
    }
}

/// What holders of readings ask.
enum ReaderCommand: Sendable {
    case begin(ReadingMailbox)
    case acknowledge(UInt64, [AMQPDelivery])
    case stop(UInt64)
    case end(UInt64)
}

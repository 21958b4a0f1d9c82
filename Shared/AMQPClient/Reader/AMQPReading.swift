/// The reading of one queue. It ends when it is released: deliveries that are not acknowledged return to their place in
/// the queue.
package final class AMQPReading: Sendable {
    private let mailbox: ReadingMailbox
    private let inbox: Inbox<ReaderCommand>

    init(_ mailbox: ReadingMailbox, _ inbox: Inbox<ReaderCommand>) {
        (self.mailbox, self.inbox) = (mailbox, inbox)
    }

    deinit { _ = inbox.put(.end(mailbox.id)) }

    /// The queue's name.
    package var queue: String { mailbox.queue }

    /// Waits for deliveries and returns all that have arrived since the last call, at least one. Returns nil when no
    /// more will come: after ``stop()``, when the reader shuts down, when the queue was deleted, when the task is
    /// cancelled, or when this reading held too many bytes. Must be called by one task at a time.
    ///
    /// After a lost connection the same messages arrive again, marked `isRedelivered`.
    package func next() async -> [AMQPDelivery]? { await mailbox.buffer.next() }

    /// Acknowledges deliveries, in any order, soon after the call. Deliveries of an earlier connection are ignored.
    /// Thread-safe; never blocks.
    package func acknowledge(_ deliveries: [AMQPDelivery]) {
        if !deliveries.isEmpty { _ = inbox.put(.acknowledge(mailbox.id, deliveries)) }
    }

    /// Stops further deliveries; ``next()`` returns those that have arrived, then nil. They can still be acknowledged:
    /// the broker receives the cancel before any later acknowledgement, so it does not send another message that would
    /// be lost. Thread-safe; never blocks.
    package func stop() {
        _ = inbox.put(.stop(mailbox.id))
        mailbox.buffer.finish()
    }

    /// Ends the reading immediately, as its release would. Thread-safe; never blocks.
    package func end() {
        mailbox.buffer.finish()
        _ = inbox.put(.end(mailbox.id))
    }
}

/// The state shared by the reading's holder and the connection's thread.
final class ReadingMailbox: Sendable {
    /// The number from which the consumer's tag is made.
    let id: UInt64
    let queue: String
    let prefetch: UInt16
    let buffer = DeliveryBuffer()
    /// Completes with the broker's agreement or the error.
    let consent = Completion<Result<Void, AMQPError>>()

    init(id: UInt64, queue: String, prefetch: UInt16) {
        (self.id, self.queue, self.prefetch) = (id, queue, prefetch)
    }

    /// Ends the reading's deliveries and fails its start if that is still pending.
    func finish(_ error: AMQPError) {
        consent.complete(.failure(error))
        buffer.finish()
    }
}

/// A command from the holder of a reading to the reader.
enum ReaderCommand: Sendable {
    case begin(ReadingMailbox)
    case acknowledge(UInt64, [AMQPDelivery])
    case stop(UInt64)
    case end(UInt64)
}

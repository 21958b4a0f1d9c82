/// An operation that reads one queue. It ends when this object is released; unacknowledged deliveries then return to
/// their places in the queue.
package final class AMQPReading: Sendable {
    private let mailbox: ReadingMailbox
    private let inbox: Inbox<ReaderCommand>

    init(_ mailbox: ReadingMailbox, _ inbox: Inbox<ReaderCommand>) {
        (self.mailbox, self.inbox) = (mailbox, inbox)
    }

    deinit { _ = inbox.put(.end(mailbox.id)) }

    /// The queue's name.
    package var queue: String { mailbox.queue }

    /// Waits until there is at least one delivery, and returns all deliveries that have arrived since the last call.
    /// Returns nil if no more deliveries will arrive because ``stop()`` was called, the reader is shutting down, the
    /// queue was deleted, the task was cancelled, or this reading held too many bytes. Must be called by one task at a
    /// time.
    ///
    /// After the connection is lost, unacknowledged messages arrive again with `isRedelivered` set.
    package func next() async -> [AMQPDelivery]? { await mailbox.buffer.next() }

    /// Acknowledges deliveries, in any order. The acknowledgements are sent shortly after the call. Deliveries from an
    /// earlier connection are ignored. Thread-safe; never blocks.
    package func acknowledge(_ deliveries: [AMQPDelivery]) {
        if !deliveries.isEmpty { _ = inbox.put(.acknowledge(mailbox.id, deliveries)) }
    }

    /// Stops further deliveries; ``next()`` returns the deliveries that have already arrived, and then nil. The
    /// returned deliveries can still be acknowledged. The broker receives the cancellation before any later
    /// acknowledgement, so an acknowledgement does not make the broker deliver another message. Thread-safe; never
    /// blocks.
    package func stop() {
        _ = inbox.put(.stop(mailbox.id))
        mailbox.buffer.finish()
    }

    /// Ends the reading immediately, as releasing it does. Thread-safe; never blocks.
    package func end() {
        mailbox.buffer.finish()
        _ = inbox.put(.end(mailbox.id))
    }
}

/// The state of a reading, shared by its owner and the connection's thread.
final class ReadingMailbox: Sendable {
    /// The number used as the consumer's tag.
    let id: UInt64
    let queue: String
    let prefetch: UInt16
    let buffer = DeliveryBuffer()
    /// Completes successfully when the broker has started the consumer, and otherwise with an error.
    let consent = Completion<Result<Void, AMQPError>>()

    init(id: UInt64, queue: String, prefetch: UInt16) {
        (self.id, self.queue, self.prefetch) = (id, queue, prefetch)
    }

    /// Ends the sequence of deliveries, and fails ``consent`` with `error` if it is still pending.
    func finish(_ error: AMQPError) {
        consent.complete(.failure(error))
        buffer.finish()
    }
}

/// A command from the owner of a reading to the reader.
enum ReaderCommand: Sendable {
    case begin(ReadingMailbox)
    case acknowledge(UInt64, [AMQPDelivery])
    case stop(UInt64)
    case end(UInt64)
}

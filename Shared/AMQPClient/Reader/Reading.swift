/// The state of a reading on the connection's thread.
struct Reading {
    enum Stage {
        /// The queue must be looked up.
        case waiting
        /// The look-up has been sent.
        case looking
        /// The consumer has been requested on the channel.
        case requested(UInt16)
        /// The broker has started the consumer on the channel.
        case consuming(UInt16)
        /// The cancellation has been sent. Deliveries can arrive until the broker confirms the cancellation.
        case cancelling(UInt16)
        /// No further delivery can arrive.
        case silent
    }

    /// A delivery that has been neither acknowledged nor returned to the queue.
    struct Held {
        var channel: UInt16
        var tag: UInt64
        var generation: UInt64
        var bytes: Int
    }

    let mailbox: ReadingMailbox
    var stage = Stage.waiting
    var held: [Held] = []
    /// Whether no more deliveries are wanted.
    var isStopped = false
    /// Whether the owner has ended or released the reading.
    var isEnded = false

    init(_ mailbox: ReadingMailbox) { self.mailbox = mailbox }

    /// The channel of the reading's consumer; nil if there is no consumer.
    var channel: UInt16? {
        switch stage {
        case .requested(let channel), .consuming(let channel), .cancelling(let channel): channel
        case .waiting, .looking, .silent: nil
        }
    }

    /// The consumer's tag, unique among all readings of this client.
    var tag: String { String(mailbox.id) }

    /// The size of the held bodies in bytes.
    var heldBytes: Int { held.reduce(0) { $0 + $1.bytes } }

    /// Removes and returns a held delivery; nil if the delivery is not held.
    mutating func release(_ delivery: AMQPDelivery) -> Held? {
        let index = held.firstIndex { $0.tag == delivery.deliveryTag && $0.generation == delivery.generation }
        return index.map { held.remove(at: $0) }
    }
}

/// A channel that several consumers share.
struct ReaderChannel {
    /// The prefetch count of each of the channel's consumers.
    let prefetch: UInt16
    /// A number that distinguishes the channel from earlier channels with the same channel number. The delivery tags of
    /// every channel start at 1.
    let generation: UInt64
    /// The number of consumers that are not known to have ended.
    var consumers = 0
}

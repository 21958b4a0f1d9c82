/// A reading as the connection's thread sees it.
struct Reading {
    /// How far it has come.
    enum Stage {
        /// Its queue is to be looked up.
        case waiting
        /// The broker was asked whether there is such a queue.
        case looking
        /// The broker was asked to deliver on that channel.
        case requested(UInt16)
        /// The broker delivers.
        case consuming(UInt16)
        /// The broker was asked to end; deliveries may come until it agrees.
        case cancelling(UInt16)
        /// Nothing comes any more.
        case silent
    }

    /// A delivery that was neither acknowledged nor given back.
    struct Held {
        var channel: UInt16
        var tag: UInt64
        var generation: UInt64
        var bytes: Int
    }

    let mailbox: ReadingMailbox
    var stage = Stage.waiting
    var held: [Held] = []
    /// Nothing more is wanted.
    var isStopped = false
    /// Its holder is gone.
    var isEnded = false

    init(_ mailbox: ReadingMailbox) { self.mailbox = mailbox }

    /// The channel of its consumer.
    var channel: UInt16? {
        switch stage {
        case .requested(let channel), .consuming(let channel), .cancelling(let channel): channel
        case .waiting, .looking, .silent: nil
        }
    }

    /// The consumer's tag, which no other reading of this client ever has.
    var tag: String { String(mailbox.id) }

    /// The bodies that it holds, in bytes.
    var heldBytes: Int { held.reduce(0) { $0 + $1.bytes } }

    /// Takes out a delivery; nil when it is not held, or no longer.
    mutating func release(_ delivery: AMQPDelivery) -> Held? {
        let index = held.firstIndex { $0.tag == delivery.deliveryTag && $0.generation == delivery.generation }
        return index.map { held.remove(at: $0) }
    }
}

/// A channel that several consumers share.
struct ReaderChannel {
    /// Each of its consumers'.
    let prefetch: UInt16
    /// Tells it from former channels of the same number, whose delivery tags began with 1 too.
    let generation: UInt64
    /// Consumers that are not known to have ended.
    var consumers = 0
}

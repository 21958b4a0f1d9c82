/// One consumption on its channel: whether the broker delivers, and what it waits for.
struct ConsumerChannel {
    private enum State {
        /// No consumer, and no delivery under way.
        case silent
        case consuming
        /// Asked to end; deliveries may come until the broker agrees.
        case cancelling
    }

    let number: UInt16
    let consumption: AMQPConsumption
    private var state = State.silent
    /// Whether the consumer is to end and begin again.
    private var isRenewing = false
    private var consumeCount = 0
    private var tracker: AcknowledgementTracker

    init(number: UInt16, consumption: AMQPConsumption) {
        self.number = number
        self.consumption = consumption
        tracker = AcknowledgementTracker(prefetch: consumption.prefetch)
    }

    /// Whether no delivery can come.
    var isSilent: Bool {
        state == .silent
    }

    /// Deliveries that neither were acknowledged nor rejected.
    var unfinishedCount: Int {
        tracker.unfinishedCount
    }

    /// Whether finished deliveries have not been acknowledged to the broker; after `acknowledge` these are the ones
    /// kept back by an unfinished one before them.
    var hasFinished: Bool {
        tracker.hasFinished
    }

    /// The tag of the consumption that is under way, or was last. Each has one of its own: a quorum queue whose
    /// consumer was cancelled with deliveries unacknowledged may take the next one of the same tag for the old one, and
    /// then has no active consumer.
    private var tag: String {
        "c\(number).\(consumeCount)"
    }

    /// Sets the channel, which has been opened, up.
    mutating func open(_ connection: ConnectionHandle, consumes: Bool) throws(AMQPError) {
        try connection.setPrefetch(consumption.prefetch, on: number)
        if consumes {
            consumeCount += 1
            try connection.consume(consumption, tag: tag, on: number)
            state = .consuming
        }
    }

    /// Starts or ends the consumer, when that is wanted and nothing is under way.
    mutating func settle(_ connection: ConnectionHandle, consumes: Bool) throws(AMQPError) {
        switch (state, consumes) {
        case (.silent, true):
            consumeCount += 1
            try connection.sendConsume(consumption, tag: tag, on: number)
            state = .consuming
        case (.consuming, _) where isRenewing || !consumes:
            try connection.sendCancel(tag, on: number)
            state = .cancelling
        case (.silent, false), (.consuming, _), (.cancelling, _):
            break
        }
        isRenewing = false
    }

    /// Has the next ``settle(_:consumes:)`` end the consumer, and the one after the broker's agreement begin it again.
    mutating func renew() {
        isRenewing = true
    }

    /// The broker agreed to the end.
    mutating func didCancel() {
        state = .silent
    }

    /// Notes a delivery; false when it needs no acknowledgement.
    mutating func note(_ tag: UInt64) -> Bool {
        if !consumption.noAck {
            tracker.deliver(tag)
        }
        return !consumption.noAck
    }

    /// Notes that a delivery's work is done; false when it is not outstanding.
    mutating func finish(_ tag: UInt64) -> Bool {
        tracker.finish(tag)
    }

    /// Rejects a delivery; false when it is not outstanding.
    mutating func reject(_ tag: UInt64, requeue: Bool, _ connection: ConnectionHandle) throws(AMQPError) -> Bool {
        guard tracker.remove(tag) else {
            return false
        }
        try connection.reject(tag, requeue: requeue, on: number)
        return true
    }

    /// Sends the acknowledgements that are due.
    mutating func acknowledge(_ connection: ConnectionHandle, includingStragglers: Bool) throws(AMQPError) {
        for acknowledgement in tracker.flush(includingStragglers: includingStragglers) {
            try connection.send(acknowledgement, on: number)
        }
    }

    /// Forgets everything of a connection that is gone.
    mutating func reset() {
        state = .silent
        isRenewing = false
        tracker = AcknowledgementTracker(prefetch: consumption.prefetch)
    }
}

/// The state of one consumption on its channel: the consumer and the outstanding deliveries.
struct ConsumerChannel {
    private enum State {
        /// There is no consumer, and no delivery is in flight.
        case silent
        case consuming
        /// The cancellation has been sent. Deliveries can arrive until the broker confirms the cancellation.
        case cancelling
    }

    let number: UInt16
    let consumption: AMQPConsumption
    private var state = State.silent
    /// Whether the consumer must be cancelled and started again.
    private var isRenewing = false
    private var consumeCount = 0
    private var tracker: AcknowledgementTracker

    init(number: UInt16, consumption: AMQPConsumption) {
        self.number = number
        self.consumption = consumption
        tracker = AcknowledgementTracker(prefetch: consumption.prefetch)
    }

    /// Whether no further delivery can arrive.
    var isSilent: Bool {
        state == .silent
    }

    /// The number of deliveries neither acknowledged nor rejected.
    var unfinishedCount: Int {
        tracker.unfinishedCount
    }

    /// Whether any finished deliveries have not yet been acknowledged to the broker. After `acknowledge`, these are the
    /// stragglers, which wait for an earlier delivery to finish.
    var hasFinished: Bool {
        tracker.hasFinished
    }

    /// The tag of the current or last consumer. Each consumer has its own tag, because a quorum queue can confuse a new
    /// consumer with a cancelled one that had the same tag and unacknowledged deliveries. The queue then has no active
    /// consumer.
    private var tag: String {
        "c\(number).\(consumeCount)"
    }

    /// Sets up the channel, which must be open.
    mutating func open(_ connection: ConnectionHandle, consumes: Bool) throws(AMQPError) {
        try connection.setPrefetch(consumption.prefetch, on: number)
        if consumes {
            consumeCount += 1
            try connection.consume(consumption, tag: tag, on: number)
            state = .consuming
        }
    }

    /// Starts or cancels the consumer, as `consumes` and ``renew()`` require. Does nothing while a cancellation is in
    /// progress.
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

    /// Makes the next call to ``settle(_:consumes:)`` cancel the consumer. The first call after the broker's
    /// confirmation starts the consumer again.
    mutating func renew() {
        isRenewing = true
    }

    /// Notes that the broker has confirmed the end of the consumer.
    mutating func didCancel() {
        state = .silent
    }

    /// Notes a delivery. Returns false if the delivery needs no acknowledgement.
    mutating func note(_ tag: UInt64) -> Bool {
        if !consumption.noAck {
            tracker.deliver(tag)
        }
        return !consumption.noAck
    }

    /// Notes that a delivery has been processed. Returns false if the delivery is not outstanding.
    mutating func finish(_ tag: UInt64) -> Bool {
        tracker.finish(tag)
    }

    /// Rejects a delivery. Returns false if the delivery is not outstanding.
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

    /// Resets the state after the connection has been lost.
    mutating func reset() {
        state = .silent
        isRenewing = false
        tracker = AcknowledgementTracker(prefetch: consumption.prefetch)
    }
}

/// A command from a caller to a consumer.
enum ConsumerCommand: Sendable {
    case acknowledge([AMQPDelivery])
    /// Completes with true if the acknowledgement was sent, otherwise with false.
    case acknowledgeNow(AMQPDelivery, Completion<Bool>)
    case reject(AMQPDelivery, requeue: Bool)
    case pause
    case resume
    case renew(queue: String)
    case stop
    case finish
}

/// Consumes queues, each on its own channel, and acknowledges each delivery on the channel that delivered it.
///
/// An error on one channel, for example because the consumed queue was deleted, ends the whole connection, and
/// everything is set up again. Such errors are rare, and a single recovery path keeps the code simple.
final class ConsumerRole: ConnectionRole {
    private static let maxStragglerAge: Duration = .seconds(1)

    private let inbox: Inbox<ConsumerCommand>
    private let topology: AMQPTopology
    private let maxHeldBytes: Int
    private let closeTimeout: Duration
    private let buffer: DeliveryBuffer
    /// Channel n is at index n - 1.
    private var channels: [ConsumerChannel]
    private var generation: UInt64 = 0
    /// The total size, in bytes, of the bodies delivered on this connection and neither acknowledged nor rejected.
    private var heldBytes = 0
    private var arrived: [AMQPDelivery] = []
    private var isPaused = false
    private var isStopping = false
    private var isFinished = false
    private var endsAt: ContinuousClock.Instant?
    /// The time at which the current stragglers started to wait.
    private var stragglersSince: ContinuousClock.Instant?
    /// Whether finished deliveries must be acknowledged without waiting for earlier deliveries. The broker counts
    /// redeliveries and gives up on a message when the count reaches a limit. A redelivered message is therefore
    /// acknowledged as soon as it is finished, so that the failure of another delivery does not cause it to be
    /// redelivered once more.
    private var isUrgent = false
    /// The callers of `acknowledgeNow` whose acknowledgements are sent in this turn.
    private var waitingForAcknowledgement: [Completion<Bool>] = []

    init(
        inbox: Inbox<ConsumerCommand>, topology: AMQPTopology, consumptions: [AMQPConsumption], maxHeldBytes: Int,
        closeTimeout: Duration, buffer: DeliveryBuffer
    ) {
        self.inbox = inbox
        self.topology = topology
        self.maxHeldBytes = maxHeldBytes
        self.closeTimeout = closeTimeout
        self.buffer = buffer
        channels = consumptions.enumerated().map { ConsumerChannel(number: UInt16($0 + 1), consumption: $1) }
    }

    var canRead: Bool {
        heldBytes <= maxHeldBytes
    }

    func open(_ connection: ConnectionHandle, generation: UInt64) throws(AMQPError) {
        self.generation = generation
        for index in channels.indices {
            try connection.openChannel(channels[index].number)
            if index == 0 {
                try connection.declare(topology, on: channels[index].number)
            }
            try channels[index].open(connection, consumes: !isPaused && !isStopping)
        }
    }

    func receive(_ event: ChannelEvent, on channel: UInt16, of connection: ConnectionHandle) throws(AMQPError) {
        guard channel > 0, Int(channel) <= channels.count else {
            return
        }
        let index = Int(channel) - 1
        switch event {
        case .content(let heading, let properties, let body):
            guard case .delivered(let tag, let isRedelivered) = heading.purpose else {
                return
            }
            if channels[index].note(tag) {
                heldBytes += body.count
            }
            arrived.append(
                AMQPDelivery(
                    queue: channels[index].consumption.queue, channel: channel, deliveryTag: tag,
                    generation: generation, isRedelivered: isRedelivered, exchange: heading.exchange,
                    routingKey: heading.routingKey, properties: properties, body: body))
        case .method(.cancelled):
            channels[index].didCancel()
        case .method(.cancelledByBroker):
            let queue = channels[index].consumption.queue
            throw AMQPError(.channelClosed, "the broker cancelled the consumer of \(queue)")
        case .method(.channelClosed(let code, let text)):
            try connection.confirmClose(of: channel)
            throw AMQPError(.channelClosed, text, replyCode: code)
        case .method:
            break
        }
    }

    func didRead() {
        if !arrived.isEmpty {
            buffer.append(arrived)
            arrived = []
        }
    }

    func send(on connection: ConnectionHandle, now: ContinuousClock.Instant) throws(AMQPError) -> Demand {
        let couldRead = canRead
        try obeyInbox(connection, now: now)
        for index in channels.indices {
            try channels[index].settle(connection, consumes: !isPaused && !isStopping)
        }
        try acknowledge(connection, now: now)
        completeAcknowledgements(true)
        if isStopping, channels.allSatisfy(\.isSilent) {
            buffer.finish()
        }
        return Demand(
            isBusy: canRead && !couldRead,
            deadline: earlier(endsAt, stragglersSince.map { $0 + Self.maxStragglerAge }))
    }

    func idle(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        // Without a connection, all acknowledgements belong to an earlier connection, so nothing can fail.
        try? obeyInbox(nil, now: now)
        if isStopping {
            buffer.finish()
        }
        return endsAt
    }

    func lost(_ error: AMQPError) -> Bool {
        for index in channels.indices {
            channels[index].reset()
        }
        heldBytes = 0
        arrived = []
        stragglersSince = nil
        completeAcknowledgements(false)
        buffer.removeAll()
        return false
    }

    func isDone(now: ContinuousClock.Instant, isConnected: Bool) -> Bool {
        if inbox.ending >= .immediate || isFinished {
            return true
        }
        guard isStopping, let endsAt else {
            return false
        }
        let isIdle = !isConnected || channels.allSatisfy { $0.isSilent && $0.unfinishedCount == 0 }
        return isIdle || now >= endsAt
    }

    func end(on connection: ConnectionHandle?) {
        inbox.end(.over)
        // The connection ends in any case, so an error here is ignored.
        try? obeyInbox(connection, now: .now)
        if let connection {
            for index in channels.indices {
                try? channels[index].acknowledge(connection, includingStragglers: true)
            }
        }
        completeAcknowledgements(connection != nil)
        buffer.finish()
    }

    private func completeAcknowledgements(_ areSent: Bool) {
        for isSent in waitingForAcknowledgement {
            isSent.complete(areSent)
        }
        waitingForAcknowledgement = []
    }

    private func obeyInbox(_ connection: ConnectionHandle?, now: ContinuousClock.Instant) throws(AMQPError) {
        if inbox.ending >= .graceful {
            stop(now: now)
        }
        for command in inbox.take() {
            switch command {
            case .acknowledge(let deliveries):
                for delivery in deliveries where isCurrent(delivery) {
                    if channels[Int(delivery.channel) - 1].finish(delivery.deliveryTag) {
                        heldBytes -= delivery.body.count
                        isUrgent = isUrgent || delivery.isRedelivered
                    }
                }
            case .acknowledgeNow(let delivery, let isSent):
                if connection != nil, isCurrent(delivery) {
                    if channels[Int(delivery.channel) - 1].finish(delivery.deliveryTag) {
                        heldBytes -= delivery.body.count
                    }
                    isUrgent = true
                    waitingForAcknowledgement.append(isSent)
                } else {
                    isSent.complete(false)
                }
            case .reject(let delivery, let requeue):
                if let connection, isCurrent(delivery) {
                    let channel = Int(delivery.channel) - 1
                    if try channels[channel].reject(delivery.deliveryTag, requeue: requeue, connection) {
                        heldBytes -= delivery.body.count
                    }
                }
            case .pause: isPaused = true
            case .resume: isPaused = false
            case .renew(let queue):
                for index in channels.indices where channels[index].consumption.queue == queue {
                    channels[index].renew()
                }
            case .stop: stop(now: now)
            case .finish: isFinished = true
            }
        }
    }

    private func isCurrent(_ delivery: AMQPDelivery) -> Bool {
        delivery.generation == generation && delivery.channel > 0 && Int(delivery.channel) <= channels.count
    }

    private func stop(now: ContinuousClock.Instant) {
        isStopping = true
        endsAt = endsAt ?? now + closeTimeout
    }

    private func acknowledge(_ connection: ConnectionHandle, now: ContinuousClock.Instant) throws(AMQPError) {
        guard channels.contains(where: \.hasFinished) else {
            stragglersSince = nil
            return
        }
        let isDue = isUrgent || stragglersSince.map { $0 + Self.maxStragglerAge <= now } ?? false
        isUrgent = false
        try connection.corked { () throws(AMQPError) in
            for index in channels.indices {
                try channels[index].acknowledge(connection, includingStragglers: isDue)
            }
        }
        let hasStragglers = channels.contains(where: \.hasFinished)
        stragglersSince = hasStragglers ? stragglersSince ?? now : nil
    }
}

import DequeModule

/// A request on its way to an answer.
final class RPCCall: Sendable {
    let id: UInt64
    let message: AMQPMessage
    let deadline: ContinuousClock.Instant
    let answer = Completion<Result<AMQPDelivery, AMQPError>>()

    init(id: UInt64, message: AMQPMessage, deadline: ContinuousClock.Instant) {
        self.id = id
        self.message = message
        self.deadline = deadline
    }
}

/// What callers ask of an RPC client.
enum RPCCommand: Sendable {
    case call(RPCCall)
    /// No one waits for the answer any more.
    case forget(UInt64)
}

/// Publishes requests on channel 1 and consumes the replies on the same one, as direct reply-to demands.
final class RPCRole: ConnectionRole {
    private static let channel: UInt16 = 1
    private static let replies = AMQPConsumption(queue: "amq.rabbitmq.reply-to", prefetch: 0, noAck: true)
    private static let maxBytesPerTurn = 256 << 10
    /// The least time between two searches for calls whose time is up: many of them are then found at once.
    private static let deadlineGrain: Duration = .milliseconds(5)

    private let inbox: Inbox<RPCCommand>
    private let status: ConnectionStatus
    private let maxInFlight: Int
    private let closeTimeout: Duration
    /// Every call without an answer.
    private var calls: [UInt64: RPCCall] = [:]
    /// Those that are to be published, by their ids; the ids of answered ones are passed over.
    private var waiting: Deque<UInt64> = []
    private var unconfirmed = ConfirmTracker<UInt64>()
    /// Those published on this connection.
    private var sent: Set<UInt64> = []
    private var generation: UInt64 = 0
    private var isBlocked = false
    private var nextDeadline: ContinuousClock.Instant?
    private var endsAt: ContinuousClock.Instant?

    init(inbox: Inbox<RPCCommand>, status: ConnectionStatus, maxInFlight: Int, closeTimeout: Duration) {
        self.inbox = inbox
        self.status = status
        self.maxInFlight = maxInFlight
        self.closeTimeout = closeTimeout
    }

    var canRead: Bool {
        true
    }

    func open(_ connection: ConnectionHandle, generation: UInt64) throws(AMQPError) {
        self.generation = generation
        isBlocked = false
        try openChannel(connection)
    }

    func receive(_ event: ChannelEvent, on channel: UInt16, of connection: ConnectionHandle) throws(AMQPError) {
        switch event {
        case .content(let heading, let properties, let body):
            receive(heading, properties, body)
        case .method(.confirmed(let tag, let multiple)):
            _ = unconfirmed.settle(tag, multiple: multiple)
        case .method(.refused(let tag, let multiple)):
            for id in unconfirmed.settle(tag, multiple: multiple) {
                fail(id, AMQPError(.nacked, "the broker did not take the request"))
            }
        case .method(.channelClosed(let code, let text)):
            failGuilty(AMQPError(.channelClosed, text, replyCode: code))
            sendAgain()
            try connection.confirmClose(of: Self.channel)
            try openChannel(connection)
        case .method(.cancelledByBroker):
            throw AMQPError(.channelClosed, "the broker ended the consumer of replies")
        case .method(.blocked):
            isBlocked = true
        case .method(.unblocked):
            isBlocked = false
        case .method:
            break
        }
    }

    func didRead() {}

    func send(on connection: ConnectionHandle, now: ContinuousClock.Instant) throws(AMQPError) -> Demand {
        var demand = Demand(deadline: idle(now: now))
        guard !isBlocked, !waiting.isEmpty, sent.count < maxInFlight else {
            return demand
        }
        guard connection.isWritable else {
            demand.wantsToWrite = true
            return demand
        }
        try connection.corked { () throws(AMQPError) in
            var bytes = 0
            while bytes < Self.maxBytesPerTurn, sent.count < maxInFlight, let id = waiting.popFirst() {
                if let call = calls[id] {
                    bytes += 256 + call.message.body.count
                    try publish(call, on: connection)
                }
            }
        }
        demand.isBusy = !waiting.isEmpty && sent.count < maxInFlight
        return demand
    }

    func idle(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        takeInbox(now: now)
        failLate(now: now)
        return earlier(nextDeadline, endsAt)
    }

    func lost() {
        sendAgain()
    }

    func isDone(now: ContinuousClock.Instant, isConnected: Bool) -> Bool {
        switch inbox.ending {
        case .none: false
        case .graceful: endsAt.map { now >= $0 || calls.isEmpty } ?? false
        case .immediate, .over: true
        }
    }

    func end(on connection: ConnectionHandle?) {
        inbox.end(.over)
        takeInbox(now: .now)
        for id in calls.keys.sorted() {
            fail(id, AMQPError(.closed, "the RPC client ended before the answer came"))
        }
    }

    private func openChannel(_ connection: ConnectionHandle) throws(AMQPError) {
        try connection.openChannel(Self.channel)
        try connection.selectConfirms(on: Self.channel)
        try connection.consume(Self.replies, tag: "r", on: Self.channel)
    }

    private func takeInbox(now: ContinuousClock.Instant) {
        let ending = inbox.ending
        for command in inbox.take() {
            switch command {
            case .call(let call):
                calls[call.id] = call
                waiting.append(call.id)
                nextDeadline = earlier(nextDeadline, call.deadline)
            case .forget(let id):
                calls[id] = nil
                sent.remove(id)
            }
        }
        if ending >= .graceful, endsAt == nil {
            endsAt = now + closeTimeout
        }
    }

    private func failLate(now: ContinuousClock.Instant) {
        guard let deadline = nextDeadline, now >= deadline else {
            return
        }
        for (id, call) in calls where call.deadline <= now {
            fail(id, status.timeout)
        }
        let earliest = calls.values.lazy.map(\.deadline).min()
        nextDeadline = earliest.map { max($0, now + Self.deadlineGrain) }
    }

    private func publish(_ call: RPCCall, on connection: ConnectionHandle) throws(AMQPError) {
        sent.insert(call.id)
        unconfirmed.append(call.id)
        do throws(AMQPError) {
            try connection.publish(call.message, on: Self.channel)
        } catch {
            guard error.code == .refused else {
                throw error
            }
            // Sent again it would cost the next connection, too.
            fail(call.id, error)
            throw AMQPError(.connectionLost, error.message)
        }
    }

    private func receive(_ heading: ContentHeading, _ properties: AMQPProperties, _ body: [UInt8]) {
        guard let id = properties.correlationID.flatMap({ UInt64($0) }) else {
            return
        }
        switch heading.purpose {
        case .delivered(let tag, let isRedelivered):
            finish(
                id,
                .success(
                    AMQPDelivery(
                        queue: Self.replies.queue, channel: Self.channel, deliveryTag: tag, generation: generation,
                        isRedelivered: isRedelivered, exchange: heading.exchange, routingKey: heading.routingKey,
                        properties: properties, body: body)))
        case .returned(let code, let text):
            fail(id, AMQPError(.returned, "\(heading.exchange) \(heading.routingKey): \(text)", replyCode: code))
        case .fetched:
            break
        }
    }

    /// The broker closed the channel for a request that it has not confirmed: for those to the exchange that its text
    /// names, otherwise for any.
    private func failGuilty(_ error: AMQPError) {
        let suspects = unconfirmed.reset().compactMap { calls[$0] }
        let guilty = suspects.filter { error.message.contains("exchange '\($0.message.exchange)'") }
        for call in guilty.isEmpty ? suspects : guilty {
            fail(call.id, error)
        }
    }

    /// Every request without an answer is to be published again, in the order of the calls.
    private func sendAgain() {
        _ = unconfirmed.reset()
        sent = []
        waiting = Deque(calls.keys.sorted())
    }

    private func fail(_ id: UInt64, _ error: AMQPError) {
        finish(id, .failure(error))
    }

    private func finish(_ id: UInt64, _ result: Result<AMQPDelivery, AMQPError>) {
        sent.remove(id)
        calls.removeValue(forKey: id)?.answer.complete(result)
    }
}

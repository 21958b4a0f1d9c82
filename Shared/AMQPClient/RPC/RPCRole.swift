import DequeModule
import Logging

/// Publishes requests on channel 1 and consumes the replies on the same channel, as direct reply-to requires.
final class RPCRole: ConnectionRole {
    private static let channel: UInt16 = 1
    private static let replies = AMQPConsumption(queue: "amq.rabbitmq.reply-to", prefetch: 0, noAck: true)
    private static let maxBytesPerTurn = 256 << 10
    /// The minimum time between scans for expired calls, so that a single scan can find several of them.
    private static let deadlineGrain: Duration = .milliseconds(5)

    private let inbox: Inbox<RPCCommand>
    private let status: ConnectionStatus
    private let maxInFlight: Int
    private let closeTimeout: Duration
    private let logger: Logger
    /// All unanswered calls, by id.
    private var calls: [UInt64: RPCCall] = [:]
    /// The ids of the calls to publish. An id that is no longer in `calls` is skipped.
    private var waiting: Deque<UInt64> = []
    private var unconfirmed = ConfirmTracker<UInt64>()
    /// The requests that may have caused the broker to close a channel or connection. While any suspects remain, only
    /// the suspects are sent, one at a time.
    private var search = PoisonSearch<UInt64>()
    /// The ids of the unanswered calls that were published on this connection.
    private var sent: Set<UInt64> = []
    private var generation: UInt64 = 0
    private var isBlocked = false
    private var nextDeadline: ContinuousClock.Instant?
    private var endsAt: ContinuousClock.Instant?

    init(
        inbox: Inbox<RPCCommand>, status: ConnectionStatus, maxInFlight: Int, closeTimeout: Duration, logger: Logger
    ) {
        self.inbox = inbox
        self.logger = logger
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
            answered(tag, multiple: multiple)
        case .method(.refused(let tag, let multiple)):
            for id in answered(tag, multiple: multiple) {
                fail(id, AMQPError(.nacked, "the broker rejected the request"))
            }
        case .method(.channelClosed(let code, let text)):
            sortOut(AMQPError(.channelClosed, text, replyCode: code))
            sendAgain()
            try connection.confirmClose(of: Self.channel)
            try openChannel(connection)
        case .method(.cancelledByBroker):
            throw AMQPError(.channelClosed, "the broker cancelled the reply consumer")
        case .method(.blocked(let reason)):
            isBlocked = true
            status.blocked(reason)
        case .method(.unblocked):
            isBlocked = false
            status.blocked(nil)
        case .method:
            break
        }
    }

    func didRead() {}

    func send(on connection: ConnectionHandle, now: ContinuousClock.Instant) throws(AMQPError) -> Demand {
        try Demand.sending(
            on: connection, deadline: idle(now: now), isBlocked: isBlocked, hasMessages: { hasSomethingToSend }
        ) { () throws(AMQPError) in
            if search.isActive {
                try sendSuspect(on: connection)
            } else {
                try sendWaiting(on: connection)
            }
        }
    }

    func idle(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        takeInbox(now: now)
        failLate(now: now)
        return earlier(nextDeadline, endsAt)
    }

    func lost(_ error: AMQPError) -> Bool {
        let wasSearched = unconfirmed.count > 0 && error.blamesAMessage
        sortOut(error)
        sendAgain()
        return wasSearched
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
            fail(id, AMQPError(.closed, "the RPC client was shut down before the reply arrived"))
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

    private var hasSomethingToSend: Bool {
        search.isActive ? !search.isTrying : !waiting.isEmpty && sent.count < maxInFlight
    }

    private func sendWaiting(on connection: ConnectionHandle) throws(AMQPError) {
        var bytes = 0
        while bytes < Self.maxBytesPerTurn, sent.count < maxInFlight, let id = waiting.popFirst() {
            if let call = calls[id] {
                bytes += 256 + call.message.body.count
                try publish(call, on: connection)
            }
        }
    }

    private func sendSuspect(on connection: ConnectionHandle) throws(AMQPError) {
        guard let id = search.next() else {
            return
        }
        guard let call = calls[id] else {
            return search.answered()
        }
        try publish(call, on: connection)
    }

    @discardableResult
    private func answered(_ tag: UInt64, multiple: Bool) -> [UInt64] {
        let ids = unconfirmed.settle(tag, multiple: multiple)
        for _ in ids {
            search.answered()
        }
        return ids
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
            // Sending the request again would end the next connection too.
            search.answered()
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

    /// Handles the loss of the channel, and possibly of the connection. If the broker closed the channel or connection
    /// because of an unconfirmed request, the requests named in the broker's text fail; if the text names none, all
    /// unconfirmed requests become suspects.
    private func sortOut(_ error: AMQPError) {
        let ids = unconfirmed.reset()
        guard error.blamesAMessage else {
            return search.interrupted()
        }
        let blame = ChannelBlame(error)
        let guilty = ids.filter { id in calls[id].map { blame.isAbout($0.message) } ?? false }
        if !guilty.isEmpty {
            search.answered()
            for id in guilty {
                fail(id, error)
            }
        } else if search.isTrying {
            if let poison = search.ended() {
                giveUp(poison, error)
            }
        } else {
            search.suspect(ids.filter { calls[$0] != nil })
        }
    }

    private func giveUp(_ id: UInt64, _ error: AMQPError) {
        status.gaveUp()
        logger.warning(
            "discarding a request: the broker closes connections or channels because of it",
            metadata: [
                "exchange": "\(calls[id]?.message.exchange ?? "")",
                "routing-key": "\(calls[id]?.message.routingKey ?? "")", "error": "\(error)",
            ])
        fail(id, AMQPError(.givenUp, error.message, replyCode: error.replyCode))
    }

    /// Queues all unanswered requests, in the order of the calls, to be published again. The suspects are left out,
    /// because the search sends them.
    private func sendAgain() {
        _ = unconfirmed.reset()
        sent = []
        let suspects = Set(search.elements)
        waiting = Deque(calls.keys.filter { !suspects.contains($0) }.sorted())
    }

    private func fail(_ id: UInt64, _ error: AMQPError) {
        finish(id, .failure(error))
    }

    private func finish(_ id: UInt64, _ result: Result<AMQPDelivery, AMQPError>) {
        sent.remove(id)
        calls.removeValue(forKey: id)?.answer.complete(result)
    }
}

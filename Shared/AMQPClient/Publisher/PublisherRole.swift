import DequeModule
import Logging

/// Publishes with confirms on channel 1 of its connection.
final class PublisherRole: ConnectionRole {
    private struct Entry {
        var group: PublishGroup
        var index: Int

        var message: AMQPMessage {
            group.messages[index]
        }
    }

    private static let channel: UInt16 = 1
    /// The maximum number of bytes sent per turn. The limit ensures that confirms and channel closes are handled while
    /// many messages are waiting to be sent.
    private static let maxBytesPerTurn = 256 << 10

    private let inbox: Inbox<PublishGroup>
    private let status: ConnectionStatus
    private let topology: AMQPTopology
    private let maxInFlight: Int
    private let closeTimeout: Duration
    private let logger: Logger
    private var waiting: Deque<Entry> = []
    private var inFlight = ConfirmTracker<Entry>()
    /// The messages that may have caused the broker to close a channel or connection. While any suspects remain, only
    /// the suspects are sent, one at a time.
    private var search = PoisonSearch<Entry>()
    private var routes = DirectReplyRoutes()
    /// Whether the broker has blocked publishers, as it does when memory or disk space is low.
    private var isBlocked = false
    private var endsAt: ContinuousClock.Instant?

    init(
        inbox: Inbox<PublishGroup>, status: ConnectionStatus, topology: AMQPTopology, maxInFlight: Int,
        closeTimeout: Duration, logger: Logger
    ) {
        self.inbox = inbox
        self.status = status
        self.logger = logger
        self.topology = topology
        self.maxInFlight = maxInFlight
        self.closeTimeout = closeTimeout
    }

    var canRead: Bool {
        true
    }

    func open(_ connection: ConnectionHandle, generation: UInt64) throws(AMQPError) {
        isBlocked = false
        try openChannel(connection)
    }

    func receive(_ event: ChannelEvent, on channel: UInt16, of connection: ConnectionHandle) throws(AMQPError) {
        switch event {
        case .method(.confirmed(let tag, let multiple)):
            answered(tag, multiple: multiple, nil)
        case .method(.refused(let tag, let multiple)):
            answered(tag, multiple: multiple, AMQPError(.nacked, "the broker rejected the message"))
        case .content(let heading, let properties, let body):
            noteReturned(heading, properties, body)
        case .method(.channelClosed(let code, let text)):
            sortOut(AMQPError(.channelClosed, text, replyCode: code))
            try connection.confirmClose(of: Self.channel)
            try openChannel(connection)
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
        takeInbox(now: now)
        return try Demand.sending(
            on: connection, deadline: endsAt, isBlocked: isBlocked, hasMessages: { hasSomethingToSend }
        ) { () throws(AMQPError) in
            if search.isActive {
                try sendSuspect(on: connection, now: now)
            } else {
                try sendWaiting(on: connection, now: now)
            }
        }
    }

    func idle(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        takeInbox(now: now)
        return endsAt
    }

    func lost(_ error: AMQPError) -> Bool {
        let wasSearched = inFlight.count > 0 && error.blamesAMessage
        sortOut(error)
        return wasSearched
    }

    func isDone(now: ContinuousClock.Instant, isConnected: Bool) -> Bool {
        switch inbox.ending {
        case .none: false
        // No item is added after shutdown has been requested, and all earlier items have been taken once `endsAt` is
        // set.
        case .graceful: endsAt.map { now >= $0 || isIdle } ?? false
        case .immediate, .over: true
        }
    }

    func end(on connection: ConnectionHandle?) {
        inbox.end(.over)
        takeInbox(now: .now)
        let error = AMQPError(.closed, "the publisher was shut down before the broker confirmed the message")
        let sent = inFlight.reset()
        // A suspect that is being tried is also the message in flight.
        for entry in (search.isTrying ? [] : sent) + search.removeAll() + waiting {
            entry.group.settle(entry.index, error)
        }
        waiting = []
    }

    private var isIdle: Bool {
        waiting.isEmpty && inFlight.count == 0 && !search.isActive
    }

    private var hasSomethingToSend: Bool {
        search.isActive ? !search.isTrying : !waiting.isEmpty && inFlight.count < maxInFlight
    }

    private func takeInbox(now: ContinuousClock.Instant) {
        // Read first, so that the items taken below include all that were added before shutdown was requested.
        let ending = inbox.ending
        for group in inbox.take() {
            for index in group.sendableIndices {
                waiting.append(Entry(group: group, index: index))
            }
        }
        if ending >= .graceful, endsAt == nil {
            endsAt = now + closeTimeout
        }
    }

    private func answered(_ tag: UInt64, multiple: Bool, _ failure: AMQPError?) {
        for entry in inFlight.settle(tag, multiple: multiple) {
            if failure == nil, entry.message.exchange.isEmpty {
                routes.reached(entry.message.routingKey)
            }
            entry.group.settle(entry.index, failure)
            search.answered()
        }
    }

    private func sendWaiting(
        on connection: ConnectionHandle, now: ContinuousClock.Instant
    ) throws(AMQPError) {
        var bytes = 0
        while bytes < Self.maxBytesPerTurn, inFlight.count < maxInFlight, let entry = waiting.popFirst() {
            guard !leadsNowhere(entry, now: now) else {
                giveUp(entry, Self.closedRoute)
                continue
            }
            bytes += 256 + entry.message.body.count
            try publish(entry, on: connection)
        }
    }

    private func sendSuspect(on connection: ConnectionHandle, now: ContinuousClock.Instant) throws(AMQPError) {
        guard let entry = search.next() else {
            return
        }
        guard !leadsNowhere(entry, now: now) else {
            search.answered()
            giveUp(entry, Self.closedRoute)
            return
        }
        try publish(entry, on: connection)
    }

    private func publish(_ entry: Entry, on connection: ConnectionHandle) throws(AMQPError) {
        inFlight.append(entry)
        do throws(AMQPError) {
            try connection.publish(entry.message, on: Self.channel)
        } catch {
            guard error.code == .refused else {
                throw error
            }
            // The refused message is the last one in flight. Sending it again would end the next connection too.
            let others = inFlight.reset().dropLast()
            putBack(Array(others))
            search.answered()
            entry.group.settle(entry.index, error)
            throw AMQPError(.connectionLost, error.message)
        }
    }

    /// Puts entries back at the front of the queue, in their original publishing order.
    private func putBack(_ entries: [Entry]) {
        for entry in entries {
            entry.group.forgetReturned(entry.index)
        }
        waiting.prepend(contentsOf: entries)
    }

    /// Notes that a message was returned. A return carries no delivery tag, so the message is found by its content.
    /// Equal messages are returned in publishing order, so the first match is the right one. The message's confirm
    /// arrives later.
    private func noteReturned(_ heading: ContentHeading, _ properties: AMQPProperties, _ body: [UInt8]) {
        guard case .returned(let code, let text) = heading.purpose else {
            return
        }
        let entry = inFlight.first { entry in
            let message = entry.message
            return message.isMandatory && !entry.group.isReturned(entry.index)
                && message.routingKey == heading.routingKey && message.exchange == heading.exchange
                && message.properties.messageID == properties.messageID && message.body == body
        }
        if let entry {
            let error = AMQPError(.returned, "\(heading.exchange) \(heading.routingKey): \(text)", replyCode: code)
            entry.group.markReturned(entry.index, error)
        }
    }

    /// Handles the messages in flight after the channel, and possibly the connection, has been lost. If the broker
    /// ended the channel or connection because of a message, the messages named in the broker's text fail; if the text
    /// names none, all messages become suspects. If the channel was lost for another reason, all messages are sent
    /// again.
    private func sortOut(_ error: AMQPError) {
        let entries = inFlight.reset()
        for entry in entries {
            entry.group.forgetReturned(entry.index)
        }
        guard error.blamesAMessage else {
            if search.isTrying {
                search.interrupted()
            } else {
                putBack(entries)
            }
            return
        }
        let blame = ChannelBlame(error)
        let guilty = entries.filter { blame.isAbout($0.message) }
        if !guilty.isEmpty {
            if search.isTrying {
                search.answered()
            } else {
                putBack(entries.filter { !blame.isAbout($0.message) })
            }
            for entry in guilty {
                entry.group.settle(entry.index, error)
            }
        } else if search.isTrying {
            if let poison = search.ended() {
                if poison.message.exchange.isEmpty {
                    routes.gaveUp(poison.message.routingKey, now: .now)
                }
                giveUp(poison, error)
            }
        } else {
            search.suspect(entries)
        }
    }

    private static let closedRoute = AMQPError(
        .givenUp, "the broker closed connections because of other replies to this caller's channel or node")

    private func leadsNowhere(_ entry: Entry, now: ContinuousClock.Instant) -> Bool {
        entry.message.exchange.isEmpty && routes.isClosed(entry.message.routingKey, now: now)
    }

    private func giveUp(_ entry: Entry, _ error: AMQPError) {
        status.gaveUp()
        logger.warning(
            "discarding a message: the broker closes connections or channels because of it",
            metadata: [
                "exchange": "\(entry.message.exchange)", "routing-key": "\(entry.message.routingKey)",
                "bytes": "\(entry.message.body.count)", "error": "\(error)",
            ])
        entry.group.settle(entry.index, AMQPError(.givenUp, error.message, replyCode: error.replyCode))
    }

    /// Opens the channel and declares the topology. The topology is declared even if only the channel was closed,
    /// because a missing exchange might be the reason. A caller that publishes the message again then finds the
    /// exchange.
    private func openChannel(_ connection: ConnectionHandle) throws(AMQPError) {
        try connection.openChannel(Self.channel)
        try connection.declare(topology, on: Self.channel)
        try connection.selectConfirms(on: Self.channel)
    }
}

import DequeModule

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
    /// Between two looks at what arrived: confirms and a closed channel must not wait for a long queue of publishes.
    private static let maxBytesPerTurn = 256 << 10

    private let inbox: Inbox<PublishGroup>
    private let topology: AMQPTopology
    private let maxInFlight: Int
    private let closeTimeout: Duration
    private var waiting: Deque<Entry> = []
    private var inFlight = ConfirmTracker<Entry>()
    /// The broker asked publishers to pause: memory or disk is short.
    private var isBlocked = false
    private var endsAt: ContinuousClock.Instant?

    init(inbox: Inbox<PublishGroup>, topology: AMQPTopology, maxInFlight: Int, closeTimeout: Duration) {
        self.inbox = inbox
        self.topology = topology
        self.maxInFlight = maxInFlight
        self.closeTimeout = closeTimeout
    }

    var canRead: Bool {
        true
    }

    func open(_ connection: ConnectionHandle, generation: UInt64) throws(AMQPError) {
        isBlocked = false
        try connection.openChannel(Self.channel)
        try connection.declare(topology, on: Self.channel)
        try connection.selectConfirms(on: Self.channel)
    }

    func receive(_ event: ChannelEvent, on channel: UInt16, of connection: ConnectionHandle) throws(AMQPError) {
        switch event {
        case .method(.confirmed(let tag, let multiple)):
            for entry in inFlight.settle(tag, multiple: multiple) {
                entry.group.settle(entry.index, nil)
            }
        case .method(.refused(let tag, let multiple)):
            for entry in inFlight.settle(tag, multiple: multiple) {
                entry.group.settle(entry.index, AMQPError(.nacked, "the broker did not take the message"))
            }
        case .content(let heading, let properties, let body):
            noteReturned(heading, properties, body)
        case .method(.channelClosed(let code, let text)):
            try reopen(connection, AMQPError(.channelClosed, text, replyCode: code))
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
        takeInbox(now: now)
        var demand = Demand(deadline: endsAt)
        guard !isBlocked, !waiting.isEmpty, inFlight.count < maxInFlight else {
            return demand
        }
        // A socket that takes no more would block the thread in the middle of a message.
        guard connection.isWritable else {
            demand.wantsToWrite = true
            return demand
        }
        try connection.corked { () throws(AMQPError) in
            var bytes = 0
            while bytes < Self.maxBytesPerTurn, inFlight.count < maxInFlight, let entry = waiting.popFirst() {
                bytes += 256 + entry.message.body.count
                try publish(entry, on: connection)
            }
        }
        demand.isBusy = !waiting.isEmpty && inFlight.count < maxInFlight
        return demand
    }

    func idle(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        takeInbox(now: now)
        return endsAt
    }

    func lost() {
        putBack(inFlight.reset())
    }

    func isDone(now: ContinuousClock.Instant, isConnected: Bool) -> Bool {
        switch inbox.ending {
        case .none: false
        // Nothing is put after the end was asked for, and what was put before has been taken in this turn or the next.
        case .graceful: endsAt.map { now >= $0 || (waiting.isEmpty && inFlight.count == 0) } ?? false
        case .immediate, .over: true
        }
    }

    func end(on connection: ConnectionHandle?) {
        inbox.end(.over)
        takeInbox(now: .now)
        let error = AMQPError(.closed, "the publisher ended before the broker confirmed the message")
        for entry in inFlight.reset() + waiting {
            entry.group.settle(entry.index, error)
        }
        waiting = []
    }

    private func takeInbox(now: ContinuousClock.Instant) {
        // Asked first: what was put before the end was asked for is then certainly among what is taken.
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

    private func publish(_ entry: Entry, on connection: ConnectionHandle) throws(AMQPError) {
        inFlight.append(entry)
        do throws(AMQPError) {
            try connection.publish(entry.message, on: Self.channel)
        } catch {
            guard error.code == .refused else {
                throw error
            }
            // It is the last one in flight. Sent again it would cost the next connection, too.
            let others = inFlight.reset().dropLast()
            putBack(Array(others))
            entry.group.settle(entry.index, error)
            throw AMQPError(.connectionLost, error.message)
        }
    }

    /// In front of what waits, in the order of their first publishing.
    private func putBack(_ entries: [Entry]) {
        for entry in entries {
            entry.group.forgetReturned(entry.index)
        }
        waiting.prepend(contentsOf: entries)
    }

    /// A returned message carries no delivery tag, so it is found by its content. Several equal ones are returned in
    /// the order of their publishing, which makes the first the right one; its confirm follows.
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

    /// The broker closed the channel for one of the messages in flight. When its text names the exchange, the messages
    /// to that exchange fail and the others are sent again; otherwise all in flight fail. The exchange may be gone, so
    /// the topology is declared again: a caller that repeats the message then finds it.
    private func reopen(_ connection: ConnectionHandle, _ error: AMQPError) throws(AMQPError) {
        let entries = inFlight.reset()
        let isGuilty = { (entry: Entry) in error.message.contains("exchange '\(entry.message.exchange)'") }
        let failsAll = !entries.contains(where: isGuilty)
        var innocent: [Entry] = []
        for entry in entries {
            if failsAll || isGuilty(entry) {
                entry.group.settle(entry.index, error)
            } else {
                innocent.append(entry)
            }
        }
        putBack(innocent)
        try connection.confirmClose(of: Self.channel)
        try connection.openChannel(Self.channel)
        try connection.declare(topology, on: Self.channel)
        try connection.selectConfirms(on: Self.channel)
    }
}

import DequeModule

/// Reads many queues over a few channels: one channel for look-ups, and other channels, each for consumers with the
/// same prefetch count.
///
/// When the broker closes a channel, its readings restart with a look-up, which fails for a queue that was deleted in
/// the meantime. If the reason for the close is not a missing queue, a reading whose consumer was requested but has not
/// yet started is refused instead.
final class QueueReaderRole: ConnectionRole {
    static let lookups: UInt16 = 1
    /// The maximum number of unanswered look-ups. The limit is small enough that look-ups cannot fill the buffers on
    /// either side.
    private static let maxLookups = 256
    private static let maxConsumersPerChannel = 256
    static let notFound = 404

    private let inbox: Inbox<ReaderCommand>
    private let maxHeldBytes: Int
    private let closeTimeout: Duration
    var readings: [UInt64: Reading] = [:]
    /// Readings whose queues must be looked up.
    var waiting: Deque<UInt64> = []
    /// Readings whose look-ups are unanswered, in the order of the look-ups.
    var asked: Deque<UInt64> = []
    /// Readings whose queues were found and must be consumed next.
    var found: Deque<UInt64> = []
    /// For each queue, the readings that are waiting until a cancelled consumer of the queue has ended, so that the
    /// consumer's last deliveries first return to their places in the queue.
    var deferred: [String: [UInt64]] = [:]
    /// For each queue, the number of consumers whose cancellation the broker has not confirmed yet.
    var ending: [String: Int] = [:]
    var channels: [UInt16: ReaderChannel] = [:]
    /// The number of channels opened so far.
    private var generation: UInt64 = 0
    var heldBytes = 0
    private var endsAt: ContinuousClock.Instant?

    init(inbox: Inbox<ReaderCommand>, maxHeldBytes: Int, closeTimeout: Duration) {
        self.inbox = inbox
        self.maxHeldBytes = maxHeldBytes
        self.closeTimeout = closeTimeout
    }

    var canRead: Bool { true }

    func open(_ connection: ConnectionHandle, generation: UInt64) throws(AMQPError) {
        try connection.openChannel(Self.lookups)
    }

    func receive(_ event: ChannelEvent, on channel: UInt16, of connection: ConnectionHandle) throws(AMQPError) {
        switch event {
        case .content(let heading, let properties, let body):
            try take(heading, properties, body, on: channel, connection)
        case .method(.declared):
            if let id = asked.popFirst() { found.append(id) }
        case .method(.consuming(let tag)):
            update(tag) { reading in
                guard case .requested(let channel) = reading.stage else { return }
                reading.stage = .consuming(channel)
                reading.mailbox.consent.complete(.success(()))
            }
        case .method(.cancelled(let tag)):
            silence(tag)
        case .method(.cancelledByBroker(let tag)):
            silence(tag)
        case .method(.channelClosed(let code, let text)):
            try connection.confirmClose(of: channel)
            if channel == Self.lookups {
                try lookupFailed(AMQPError(.refused, text, replyCode: code), connection)
            } else {
                lose(channel, because: AMQPError(.refused, text, replyCode: code))
            }
        case .method:
            break
        }
    }

    func didRead() {}

    func send(on connection: ConnectionHandle, now: ContinuousClock.Instant) throws(AMQPError) -> Demand {
        try connection.corked { () throws(AMQPError) in
            try obeyInbox(connection, now: now)
            try shed(connection)
            while asked.count < Self.maxLookups, let id = waiting.popFirst() {
                guard let reading = readings[id], case .waiting = reading.stage else { continue }
                readings[id]?.stage = .looking
                asked.append(id)
                try connection.sendLookup(reading.mailbox.queue, on: Self.lookups)
            }
        }
        // Opening a channel waits for a reply, which corked look-ups would delay.
        while let id = found.popFirst() {
            guard let reading = readings[id], case .looking = reading.stage else { continue }
            guard ending[reading.mailbox.queue] == nil else {
                deferred[reading.mailbox.queue, default: []].append(id)
                continue
            }
            let channel = try self.channel(for: reading.mailbox.prefetch, connection)
            channels[channel]?.consumers += 1
            readings[id]?.stage = .requested(channel)
            let consumption = AMQPConsumption(queue: reading.mailbox.queue, prefetch: reading.mailbox.prefetch)
            try connection.sendConsume(consumption, tag: reading.tag, on: channel)
        }
        return Demand(deadline: endsAt)
    }

    func idle(now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
        // Without a connection, nothing is sent, so nothing can fail.
        try? obeyInbox(nil, now: now)
        return endsAt
    }

    func lost(_ error: AMQPError) -> Bool {
        (asked, found, deferred) = ([], [], [:])
        for channel in channels.keys { lose(channel, because: AMQPError(.connectionLost, "the connection was lost")) }
        for (id, reading) in readings {
            if case .looking = reading.stage { restart(id) }
            if case .silent = reading.stage, reading.isEnded { readings[id] = nil }
        }
        return false
    }

    func isDone(now: ContinuousClock.Instant, isConnected: Bool) -> Bool {
        if inbox.ending >= .immediate { return true }
        guard let endsAt else { return false }
        return readings.isEmpty || now >= endsAt
    }

    func end(on connection: ConnectionHandle?) {
        inbox.end(.over)
        // The connection ends in any case, so an error here is ignored.
        try? obeyInbox(connection, now: .now)
        for reading in readings.values { reading.mailbox.finish(Self.closed) }
        readings = [:]
    }

    private static var closed: AMQPError { AMQPError(.closed, "the reader has been shut down") }

    /// Executes all commands, even if the connection is lost in the meantime, because the owner of a reading requests
    /// its end only once.
    private func obeyInbox(_ connection: ConnectionHandle?, now: ContinuousClock.Instant) throws(AMQPError) {
        var (connection, failure) = (connection, AMQPError?.none)
        func attempt(_ step: (ConnectionHandle?) throws(AMQPError) -> Void) {
            do throws(AMQPError) {
                try step(connection)
            } catch {
                (connection, failure) = (nil, error)
            }
        }
        if inbox.ending >= .graceful, endsAt == nil {
            endsAt = now + closeTimeout
            for id in readings.keys { attempt { connection throws(AMQPError) in try stop(id, connection) } }
        }
        for command in inbox.take() { attempt { connection throws(AMQPError) in try obey(command, connection) } }
        if let failure { throw failure }
    }

    private func obey(_ command: ReaderCommand, _ connection: ConnectionHandle?) throws(AMQPError) {
        switch command {
        case .begin(let mailbox):
            guard endsAt == nil else { return mailbox.finish(Self.closed) }
            readings[mailbox.id] = Reading(mailbox)
            waiting.append(mailbox.id)
        case .acknowledge(let id, let deliveries):
            for delivery in deliveries {
                guard let held = readings[id]?.release(delivery) else { continue }
                heldBytes -= held.bytes
                try connection?.send(Acknowledgement(tag: held.tag, multiple: false), on: held.channel)
            }
        case .stop(let id): try stop(id, connection)
        case .end(let id): try end(id, connection)
        }
    }

    /// Cancels the consumer. Its deliveries can still be acknowledged.
    private func stop(_ id: UInt64, _ connection: ConnectionHandle?) throws(AMQPError) {
        guard let reading = readings[id], !reading.isStopped else { return }
        readings[id]?.isStopped = true
        reading.mailbox.finish(Self.closed)
        switch reading.stage {
        case .waiting, .looking: readings[id]?.stage = .silent
        case .requested(let channel), .consuming(let channel):
            readings[id]?.stage = .cancelling(channel)
            ending[reading.mailbox.queue, default: 0] += 1
            try connection?.sendCancel(reading.tag, on: channel)
        case .cancelling, .silent: break
        }
    }

    /// Cancels the consumer, returns its held deliveries to the queue, and removes the reading as soon as the broker
    /// has confirmed the cancellation.
    private func end(_ id: UInt64, _ connection: ConnectionHandle?) throws(AMQPError) {
        readings[id]?.isEnded = true
        try stop(id, connection)
        try giveBack(id, connection)
        if case .silent = readings[id]?.stage { readings[id] = nil }
    }

    /// Returns the held deliveries to the queue. Called after the cancellation was sent, so that the same consumer does
    /// not receive the messages again.
    private func giveBack(_ id: UInt64, _ connection: ConnectionHandle?) throws(AMQPError) {
        guard let reading = readings[id] else { return }
        heldBytes -= reading.heldBytes
        readings[id]?.held = []
        for held in reading.held { try connection?.reject(held.tag, requeue: true, on: held.channel) }
    }

    /// Ends the readings that hold the most bytes until the total is within the limit.
    private func shed(_ connection: ConnectionHandle) throws(AMQPError) {
        while heldBytes > maxHeldBytes,
            let (id, reading) = readings.max(by: { $0.value.heldBytes < $1.value.heldBytes }), !reading.held.isEmpty
        {
            reading.mailbox.buffer.removeAll()
            try stop(id, connection)
            try giveBack(id, connection)
        }
    }

    /// Returns a channel that has this prefetch count and room for one more consumer. Opens a channel if necessary.
    private func channel(for prefetch: UInt16, _ connection: ConnectionHandle) throws(AMQPError) -> UInt16 {
        // The lowest number is chosen, so that a queue's next consumer usually starts on the channel of the previous
        // consumer, behind the deliveries that the previous consumer returned.
        let free = channels.filter {
            $0.value.prefetch == prefetch && $0.value.consumers < Self.maxConsumersPerChannel
        }
        if let number = free.keys.min() { return number }
        var number = Self.lookups + 1
        while channels[number] != nil { number += 1 }
        try connection.openChannel(number)
        try connection.setPrefetch(prefetch, on: number)
        generation += 1
        channels[number] = ReaderChannel(prefetch: prefetch, generation: generation)
        return number
    }
}

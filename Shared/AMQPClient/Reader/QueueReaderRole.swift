import DequeModule

/// Reads many queues over a few channels: one for look-ups, and the consumers' ones, each with consumers of one prefetch
/// count.
///
/// A channel that the broker closes takes its consumers with it, and they begin again with a look-up. That finds the one
/// whose queue vanished in between; whoever was just asking when the channel was closed for another reason is refused.
final class QueueReaderRole: ConnectionRole {
    private static let lookups: UInt16 = 1
    /// Unanswered look-ups: few enough that neither side's buffers fill.
    private static let maxLookups = 256
    private static let maxConsumersPerChannel = 256
    private static let notFound = 404

    private let inbox: Inbox<ReaderCommand>
    private let maxHeldBytes: Int
    private let closeTimeout: Duration
    private var readings: [UInt64: Reading] = [:]
    /// To be looked up.
    private var waiting: Deque<UInt64> = []
    /// Looked up and not answered, in order.
    private var asked: Deque<UInt64> = []
    /// Found, and to be consumed.
    private var found: Deque<UInt64> = []
    /// Found, but not to be consumed before a former consumer of the same queue has ended: what is on its way to that one
    /// returns to its place first. By queue.
    private var deferred: [String: [UInt64]] = [:]
    /// Consumers that were asked to end and may not have yet. By queue.
    private var ending: [String: Int] = [:]
    private var channels: [UInt16: ReaderChannel] = [:]
    /// Counts the channels that were ever opened.
    private var generation: UInt64 = 0
    private var heldBytes = 0
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
        // Opening a channel waits for an answer, which corked questions would hold up.
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
        // Without a connection there is nothing to send, and nothing can fail.
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
        // The connection ends in any case, so an error on the way out changes nothing.
        try? obeyInbox(connection, now: .now)
        for reading in readings.values { reading.mailbox.finish(Self.closed) }
        readings = [:]
    }

    private static var closed: AMQPError { AMQPError(.closed, "the reader has been shut down") }

    // MARK: What holders ask

    /// Obeys everything, also when the connection turns out to be lost in between: a holder's end is told once.
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

    /// Ends the consumer; what it delivered may still be acknowledged.
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

    /// Ends the consumer, gives back what it holds, and forgets it as soon as the broker has agreed.
    private func end(_ id: UInt64, _ connection: ConnectionHandle?) throws(AMQPError) {
        readings[id]?.isEnded = true
        try stop(id, connection)
        try giveBack(id, connection)
        if case .silent = readings[id]?.stage { readings[id] = nil }
    }

    /// After its consumer was asked to end, lest it gets the same again.
    private func giveBack(_ id: UInt64, _ connection: ConnectionHandle?) throws(AMQPError) {
        guard let reading = readings[id] else { return }
        heldBytes -= reading.heldBytes
        readings[id]?.held = []
        for held in reading.held { try connection?.reject(held.tag, requeue: true, on: held.channel) }
    }

    /// Ends those that hold the most, while all together hold too much.
    private func shed(_ connection: ConnectionHandle) throws(AMQPError) {
        while heldBytes > maxHeldBytes,
            let (id, reading) = readings.max(by: { $0.value.heldBytes < $1.value.heldBytes }), !reading.held.isEmpty
        {
            reading.mailbox.buffer.removeAll()
            try stop(id, connection)
            try giveBack(id, connection)
        }
    }

    // MARK: What the broker says

    private func take(
        _ heading: ContentHeading, _ properties: AMQPProperties, _ body: [UInt8], on channel: UInt16,
        _ connection: ConnectionHandle
    ) throws(AMQPError) {
        guard case .delivered(let tag, let isRedelivered) = heading.purpose else { return }
        guard let id = UInt64(heading.consumer), let reading = readings[id], !reading.isStopped,
            let generation = channels[channel]?.generation
        else { return try connection.reject(tag, requeue: true, on: channel) }
        readings[id]?.held.append(.init(channel: channel, tag: tag, generation: generation, bytes: body.count))
        heldBytes += body.count
        reading.mailbox.buffer.append([
            AMQPDelivery(
                queue: reading.mailbox.queue, channel: channel, deliveryTag: tag, generation: generation,
                isRedelivered: isRedelivered, exchange: heading.exchange, routingKey: heading.routingKey,
                properties: properties, body: body)
        ])
    }

    private func update(_ tag: String, _ change: (inout Reading) -> Void) {
        guard let id = UInt64(tag), var reading = readings[id] else { return }
        change(&reading)
        readings[id] = reading
    }

    /// The consumer is at its end: it was asked to, or its queue is gone.
    private func silence(_ tag: String) {
        update(tag) { reading in
            if let channel = reading.channel { channels[channel]?.consumers -= 1 }
            if case .cancelling = reading.stage { didEnd(reading.mailbox.queue) }
            reading.stage = .silent
            reading.mailbox.finish(AMQPError(.refused, "the queue was deleted", replyCode: Self.notFound))
        }
        if let id = UInt64(tag), readings[id]?.isEnded == true { readings[id] = nil }
    }

    /// A consumer that was asked to end has ended, and what it was still sent has been given back.
    private func didEnd(_ queue: String) {
        let rest = ending[queue, default: 1] - 1
        ending[queue] = rest == 0 ? nil : rest
        if rest == 0 { found.append(contentsOf: deferred.removeValue(forKey: queue) ?? []) }
    }

    /// The first of the look-ups failed; the broker has not read those behind it.
    private func lookupFailed(_ error: AMQPError, _ connection: ConnectionHandle) throws(AMQPError) {
        if let id = asked.popFirst(), let reading = readings[id], case .looking = reading.stage {
            readings[id]?.stage = .silent
            reading.mailbox.finish(error)
        }
        for id in asked.reversed() {
            guard case .looking = readings[id]?.stage else { continue }
            readings[id]?.stage = .waiting
            waiting.prepend(id)
        }
        asked = []
        try connection.openChannel(Self.lookups)
    }

    /// A channel is gone, and what its consumers hold with it.
    private func lose(_ channel: UInt16, because error: AMQPError) {
        channels[channel] = nil
        for (id, reading) in readings {
            if reading.held.contains(where: { $0.channel == channel }) {
                heldBytes -= reading.heldBytes
                readings[id]?.held = []
            }
            switch reading.stage {
            case .requested(channel) where error.code == .refused && error.replyCode != Self.notFound:
                readings[id]?.stage = .silent
                reading.mailbox.finish(error)
            case .requested(channel), .consuming(channel): restart(id)
            case .cancelling(channel):
                didEnd(reading.mailbox.queue)
                readings[id]?.stage = .silent
                if reading.isEnded { readings[id] = nil }
            default: break
            }
        }
    }

    /// Begins with the look-up again; what was not taken yet is delivered again.
    private func restart(_ id: UInt64) {
        readings[id]?.mailbox.buffer.removeAll()
        readings[id]?.stage = .waiting
        waiting.append(id)
    }

    /// A channel with room for one more consumer of that prefetch count.
    private func channel(for prefetch: UInt16, _ connection: ConnectionHandle) throws(AMQPError) -> UInt16 {
        // The first of them, so that a queue's next consumer is mostly on the former one's channel, behind what that gave back.
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

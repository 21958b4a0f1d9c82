import DequeModule

/// The handling of deliveries, ended consumers and lost channels.
extension QueueReaderRole {
    func take(
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

    func update(_ tag: String, _ change: (inout Reading) -> Void) {
        guard let id = UInt64(tag), var reading = readings[id] else { return }
        change(&reading)
        readings[id] = reading
    }

    /// Handles the end of a consumer that was cancelled or whose queue was deleted.
    func silence(_ tag: String) {
        update(tag) { reading in
            if let channel = reading.channel { channels[channel]?.consumers -= 1 }
            if case .cancelling = reading.stage { didEnd(reading.mailbox.queue) }
            reading.stage = .silent
            reading.mailbox.finish(AMQPError(.refused, "the queue was deleted", replyCode: Self.notFound))
        }
        if let id = UInt64(tag), readings[id]?.isEnded == true { readings[id] = nil }
    }

    /// Notes that a cancelled consumer has ended and that its last deliveries have been returned to the queue.
    private func didEnd(_ queue: String) {
        let rest = ending[queue, default: 1] - 1
        ending[queue] = rest == 0 ? nil : rest
        if rest == 0 { found.append(contentsOf: deferred.removeValue(forKey: queue) ?? []) }
    }

    /// Handles the failure of the first pending look-up. The broker has not processed the later look-ups, so they are
    /// sent again.
    func lookupFailed(_ error: AMQPError, _ connection: ConnectionHandle) throws(AMQPError) {
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

    /// Handles the loss of a channel and of the deliveries that its consumers held.
    func lose(_ channel: UInt16, because error: AMQPError) {
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

    /// Restarts a ``Reading``, beginning with the look-up of its queue. Deliveries that have not been taken are
    /// discarded; the broker redelivers them.
    func restart(_ id: UInt64) {
        readings[id]?.mailbox.buffer.removeAll()
        readings[id]?.stage = .waiting
        waiting.append(id)
    }
}

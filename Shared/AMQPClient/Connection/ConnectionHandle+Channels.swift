import CRabbitMQ

// Synchronous methods, which take one round trip each. When the broker refuses a method, it closes the channel.
// `checkReply` confirms the close, so that a channel with the same number can be opened again.

extension ConnectionHandle {
    func openChannel(_ channel: UInt16) throws(AMQPError) {
        amqp_channel_open(state, channel)
        try checkReply("open a channel", channel: channel)
    }

    /// Closes a channel. When this method returns, everything that was sent on the channel has taken effect.
    func closeChannel(_ channel: UInt16) throws(AMQPError) {
        let reply = amqp_channel_close(state, channel, AMQP_REPLY_SUCCESS)
        defer { releaseBuffers() }
        try Self.check(reply, "close a channel")
    }

    /// Puts `channel` into confirm mode.
    func selectConfirms(on channel: UInt16) throws(AMQPError) {
        amqp_confirm_select(state, channel)
        try checkReply("select confirms", channel: channel)
    }

    /// Limits the number of unacknowledged deliveries of each consumer started on the channel from now on; 0 means no
    /// limit.
    func setPrefetch(_ prefetch: UInt16, on channel: UInt16) throws(AMQPError) {
        amqp_basic_qos(state, channel, 0, prefetch, 0)
        try checkReply("set the prefetch count", channel: channel)
    }

    /// Starts a consumer and waits for the broker's `basic.consume-ok`.
    func consume(_ consumption: AMQPConsumption, tag: String, on channel: UInt16) throws(AMQPError) {
        amqp_basic_consume(
            state, channel, arena.bytes(consumption.queue), arena.bytes(tag), 0, consumption.noAck ? 1 : 0,
            consumption.isExclusive ? 1 : 0, arena.table(consumption.arguments))
        try checkReply("consume \(consumption.queue)", channel: channel)
    }

    /// Looks up or declares every element of `topology`, with one round trip each. The broker refuses with 404 if an
    /// expected exchange or queue is missing.
    func declare(_ topology: AMQPTopology, on channel: UInt16) throws(AMQPError) {
        for name in topology.expectedExchanges {
            try find(exchange: name, on: channel)
        }
        for name in topology.expectedQueues {
            _ = try declare(AMQPQueue(name: name), passively: true, on: channel)
        }
        for exchange in topology.exchanges {
            try declare(exchange, on: channel)
        }
        for queue in topology.queues {
            _ = try declare(queue, on: channel)
        }
        for binding in topology.bindings {
            try declare(binding, on: channel)
        }
    }

    /// Declares an exchange. The broker refuses with 406 if an exchange of that name exists with different properties.
    func declare(_ exchange: AMQPExchange, on channel: UInt16) throws(AMQPError) {
        amqp_exchange_declare(
            state, channel, arena.bytes(exchange.name), arena.bytes(exchange.kind.rawValue), 0,
            exchange.isDurable ? 1 : 0, exchange.isAutoDelete ? 1 : 0, exchange.isInternal ? 1 : 0,
            arena.table(exchange.arguments))
        try checkReply("declare exchange \(exchange.name)", channel: channel)
    }

    /// Looks up an exchange of any kind.
    private func find(exchange name: String, on channel: UInt16) throws(AMQPError) {
        amqp_exchange_declare(
            state, channel, arena.bytes(name), arena.bytes(AMQPExchange.Kind.topic.rawValue), 1, 0, 0, 0,
            arena.table([:]))
        try checkReply("find exchange \(name)", channel: channel)
    }

    /// Declares a queue, or only looks it up if `passively` is true. The broker refuses with 406 if a queue of that
    /// name exists with different properties.
    func declare(
        _ queue: AMQPQueue, passively: Bool = false, on channel: UInt16
    ) throws(AMQPError) -> AMQPQueueStatus {
        let answer = amqp_queue_declare(
            state, channel, arena.bytes(queue.name), passively ? 1 : 0, queue.isDurable ? 1 : 0,
            queue.isExclusive ? 1 : 0, queue.isAutoDelete ? 1 : 0, arena.table(queue.arguments))
        let status = answer.map {
            AMQPQueueStatus(
                name: String($0.pointee.queue), messageCount: Int($0.pointee.message_count),
                consumerCount: Int($0.pointee.consumer_count))
        }
        try checkReply("declare queue \(queue.name)", channel: channel)
        guard let status else {
            throw AMQPError(.protocolViolation, "declare queue \(queue.name): no answer")
        }
        return status
    }

    func declare(_ binding: AMQPBinding, on channel: UInt16) throws(AMQPError) {
        amqp_queue_bind(
            state, channel, arena.bytes(binding.queue), arena.bytes(binding.exchange), arena.bytes(binding.routingKey),
            arena.table(binding.arguments))
        try checkReply("bind \(binding.queue) to \(binding.exchange)", channel: channel)
    }

    func unbind(_ binding: AMQPBinding, on channel: UInt16) throws(AMQPError) {
        amqp_queue_unbind(
            state, channel, arena.bytes(binding.queue), arena.bytes(binding.exchange), arena.bytes(binding.routingKey),
            arena.table(binding.arguments))
        try checkReply("unbind \(binding.queue) from \(binding.exchange)", channel: channel)
    }

    /// Deletes a queue and returns the number of messages that were deleted with it.
    func deleteQueue(_ name: String, on channel: UInt16) throws(AMQPError) -> Int {
        let answer = amqp_queue_delete(state, channel, arena.bytes(name), 0, 0)
        let count = answer.map { Int($0.pointee.message_count) }
        try checkReply("delete queue \(name)", channel: channel)
        return count ?? 0
    }

    func deleteExchange(_ name: String, on channel: UInt16) throws(AMQPError) {
        amqp_exchange_delete(state, channel, arena.bytes(name), 0)
        try checkReply("delete exchange \(name)", channel: channel)
    }

    /// Removes all ready messages from a queue and returns their number.
    func purgeQueue(_ name: String, on channel: UInt16) throws(AMQPError) -> Int {
        let answer = amqp_queue_purge(state, channel, arena.bytes(name))
        let count = answer.map { Int($0.pointee.message_count) }
        try checkReply("purge queue \(name)", channel: channel)
        return count ?? 0
    }
}

/// The state of a queue, as the broker reports it when the queue is declared or looked up.
package struct AMQPQueueStatus: Sendable, Hashable {
    /// The queue's name.
    package var name: String
    /// The number of messages ready for delivery.
    package var messageCount: Int
    /// The number of consumers.
    package var consumerCount: Int
}

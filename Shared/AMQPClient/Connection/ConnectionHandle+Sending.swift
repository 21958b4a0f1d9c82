import CRabbitMQ

// Methods that have no reply, or whose reply is read later like any other frame. They block while the socket's send
// buffer is full.

extension ConnectionHandle {
    /// Publishes a message, which must have been validated.
    ///
    /// - Throws: `.connectionLost` if the connection failed; `.refused` if the library cannot encode the message. Part
    ///   of a refused message may have been sent, so the connection must be closed.
    func publish(_ message: AMQPMessage, on channel: UInt16) throws(AMQPError) {
        var properties = message.properties.encoded(in: arena)
        let status = message.body.withUnsafeBytes { body in
            amqp_basic_publish(
                state, channel, arena.bytes(message.exchange), arena.bytes(message.routingKey),
                message.isMandatory ? 1 : 0, 0, &properties,
                amqp_bytes_t(len: body.count, bytes: UnsafeMutableRawPointer(mutating: body.baseAddress)))
        }
        arena.reset()
        switch status {
        case AMQP_STATUS_BAD_AMQP_DATA.rawValue, AMQP_STATUS_TABLE_TOO_BIG.rawValue,
            AMQP_STATUS_INVALID_PARAMETER.rawValue:
            throw AMQPError(.refused, "publish: \(Self.text(of: status))")
        default:
            try Self.check(status, "publish")
        }
    }

    func send(_ acknowledgement: Acknowledgement, on channel: UInt16) throws(AMQPError) {
        let status = amqp_basic_ack(state, channel, acknowledgement.tag, acknowledgement.multiple ? 1 : 0)
        try Self.check(status, "acknowledge")
    }

    func reject(_ tag: UInt64, requeue: Bool, on channel: UInt16) throws(AMQPError) {
        try Self.check(amqp_basic_reject(state, channel, tag, requeue ? 1 : 0), "reject")
    }

    /// Asks the broker to start a consumer. The broker confirms the start with `Method.consuming`.
    func sendConsume(_ consumption: AMQPConsumption, tag: String, on channel: UInt16) throws(AMQPError) {
        var method = amqp_basic_consume_t()
        method.queue = arena.bytes(consumption.queue)
        method.consumer_tag = arena.bytes(tag)
        method.no_ack = consumption.noAck ? 1 : 0
        method.exclusive = consumption.isExclusive ? 1 : 0
        method.arguments = arena.table(consumption.arguments)
        try send(AMQP_BASIC_CONSUME_METHOD, &method, "consume", on: channel)
    }

    /// Cancels a consumer. The broker confirms this with `Method.cancelled`, after the consumer's last delivery.
    func sendCancel(_ tag: String, on channel: UInt16) throws(AMQPError) {
        var method = amqp_basic_cancel_t()
        method.consumer_tag = arena.bytes(tag)
        try send(AMQP_BASIC_CANCEL_METHOD, &method, "cancel", on: channel)
    }

    /// Checks whether a queue exists. The broker replies with `Method.declared`, or closes the channel with 404.
    func sendLookup(_ queue: String, on channel: UInt16) throws(AMQPError) {
        var method = amqp_queue_declare_t()
        method.queue = arena.bytes(queue)
        method.passive = 1
        method.arguments = arena.table([:])
        try send(AMQP_QUEUE_DECLARE_METHOD, &method, "look up \(queue)", on: channel)
    }

    /// Requests one message from a queue. The message arrives as `Method.content`; if the queue is empty,
    /// `Method.getEmpty` arrives instead.
    func sendGet(_ queue: String, noAck: Bool, on channel: UInt16) throws(AMQPError) {
        var method = amqp_basic_get_t()
        method.queue = arena.bytes(queue)
        method.no_ack = noAck ? 1 : 0
        try send(AMQP_BASIC_GET_METHOD, &method, "get", on: channel)
    }

    /// Confirms to the broker that `channel` is closed. The channel number can then be used again.
    func confirmClose(of channel: UInt16) throws(AMQPError) {
        var method = amqp_channel_close_ok_t()
        try send(AMQP_CHANNEL_CLOSE_OK_METHOD, &method, "close a channel", on: channel)
    }

    /// Confirms to the broker that the connection is closed. Ignores errors, because the connection ends in any case.
    func confirmConnectionClose() {
        var method = amqp_connection_close_ok_t()
        try? send(AMQP_CONNECTION_CLOSE_OK_METHOD, &method, "close the connection", on: 0)
    }

    /// Sends a heartbeat. The library sends heartbeats only when it reads, so the caller must send them while it is not
    /// reading.
    func sendHeartbeat() throws(AMQPError) {
        var frame = amqp_frame_t()
        frame.frame_type = UInt8(AMQP_FRAME_HEARTBEAT)
        try Self.check(amqp_send_frame(state, &frame), "heartbeat")
    }

    private func send<Decoded: BitwiseCopyable>(
        _ method: amqp_method_number_t, _ decoded: inout Decoded, _ what: String, on channel: UInt16
    ) throws(AMQPError) {
        let status = amqp_send_method(state, channel, method, &decoded)
        arena.reset()
        try Self.check(status, what)
    }
}

/// Administers a broker: declares, looks up and deletes queues and exchanges, and fetches single messages. Intended for
/// tests, for tools, and for the few queues that services create and inspect while they run.
///
/// A call usually takes one round trip on the session's own connection, which is opened when it is first needed and
/// reopened after it is lost. The C library's blocking calls run on the connection's thread, so calls are serialized.
///
/// All methods throw `.refused` with the broker's code and text, `.connectFailed` or `.connectionLost`. If the existing
/// connection turns out to be lost, the call is retried once on a new connection before it fails.
package actor AMQPChannelSession {
    private static let channel: UInt16 = 1

    private let thread = ConnectionThread(name: "amqp-session")
    private let configuration: AMQPConfiguration
    private var connection: ConnectionHandle?
    private var hasChannel = false
    private var generation: UInt64 = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    /// Creates a session, which connects on the first call.
    package init(configuration: AMQPConfiguration) {
        var configuration = configuration
        // The library handles heartbeats only during its calls, and a session is idle between calls.
        configuration.heartbeat = .zero
        self.configuration = configuration
    }

    /// Runs `body` with a session and closes the session afterwards.
    package static func with<R: Sendable>(
        _ configuration: AMQPConfiguration, _ body: (AMQPChannelSession) async throws -> R
    ) async throws -> R {
        let session = AMQPChannelSession(configuration: configuration)
        do {
            let result = try await body(session)
            await session.close()
            return result
        } catch {
            await session.close()
            throw error
        }
    }

    /// Closes the connection. A later call opens a new connection.
    package func close() {
        connection?.close()
        connection = nil
        hasChannel = false
    }

    /// Connects if there is no connection. Use this method to check the address and credentials.
    package func connect() throws(AMQPError) {
        try perform { _ throws(AMQPError) in }
    }

    /// Looks up or declares every element of `topology`. Idempotent.
    package func declare(_ topology: AMQPTopology) throws(AMQPError) {
        try perform { connection throws(AMQPError) in
            try connection.declare(topology, on: Self.channel)
        }
    }

    /// Declares a queue and returns its state. If the name is empty, the broker chooses a name.
    package func declare(_ queue: AMQPQueue) throws(AMQPError) -> AMQPQueueStatus {
        try perform { connection throws(AMQPError) in
            try connection.declare(queue, on: Self.channel)
        }
    }

    /// Returns a queue's state, or nil if the queue does not exist.
    package func status(ofQueue name: String) throws(AMQPError) -> AMQPQueueStatus? {
        do throws(AMQPError) {
            return try perform { connection throws(AMQPError) in
                try connection.declare(AMQPQueue(name: name), passively: true, on: Self.channel)
            }
        } catch {
            guard error.replyCode == 404 else {
                throw error
            }
            return nil
        }
    }

    /// Binds a queue.
    package func bind(_ binding: AMQPBinding) throws(AMQPError) {
        try perform { connection throws(AMQPError) in
            try connection.declare(binding, on: Self.channel)
        }
    }

    /// Removes a binding, if it exists.
    package func unbind(_ binding: AMQPBinding) throws(AMQPError) {
        try perform { connection throws(AMQPError) in
            try connection.unbind(binding, on: Self.channel)
        }
    }

    /// Deletes a queue, if it exists, and returns the number of messages that were deleted with it.
    @discardableResult
    package func deleteQueue(_ name: String) throws(AMQPError) -> Int {
        try perform { connection throws(AMQPError) in
            try connection.deleteQueue(name, on: Self.channel)
        }
    }

    /// Deletes an exchange, if it exists.
    package func deleteExchange(_ name: String) throws(AMQPError) {
        try perform { connection throws(AMQPError) in
            try connection.deleteExchange(name, on: Self.channel)
        }
    }

    /// Removes the ready messages from a queue and returns their number.
    @discardableResult
    package func purgeQueue(_ name: String) throws(AMQPError) -> Int {
        try perform { connection throws(AMQPError) in
            try connection.purgeQueue(name, on: Self.channel)
        }
    }

    /// Fetches one message from a queue. Returns nil if the queue is empty.
    ///
    /// - Parameter noAck: whether the broker removes the message immediately. Otherwise the message must be
    ///   acknowledged with ``acknowledge(_:)``, or it returns to the queue when the session closes.
    package func get(_ queue: String, noAck: Bool = true) throws(AMQPError) -> AMQPDelivery? {
        try perform { connection throws(AMQPError) in
            try connection.sendGet(queue, noAck: noAck, on: Self.channel)
            return try receive(from: connection, queue: queue)
        }
    }

    /// Acknowledges a message that `get` returned. Does nothing if the session has reconnected since then.
    package func acknowledge(_ delivery: AMQPDelivery) throws(AMQPError) {
        if let connection, delivery.generation == generation {
            try connection.send(Acknowledgement(tag: delivery.deliveryTag, multiple: false), on: Self.channel)
        }
    }

    /// Rejects a message that `get` returned. Does nothing if the session has reconnected since then.
    package func reject(_ delivery: AMQPDelivery, requeue: Bool) throws(AMQPError) {
        if let connection, delivery.generation == generation {
            try connection.reject(delivery.deliveryTag, requeue: requeue, on: Self.channel)
        }
    }

    private func receive(
        from connection: ConnectionHandle, queue: String
    ) throws(AMQPError) -> AMQPDelivery? {
        defer { connection.releaseBuffers() }
        var assembly = ChannelAssembly()
        while let (channel, frame) = try connection.receive(within: configuration.rpcTimeout) {
            guard channel == Self.channel, let event = try assembly.receive(frame) else {
                continue
            }
            switch event {
            case .method(.getEmpty):
                return nil
            case .method(.channelClosed(let code, let text)):
                try connection.confirmClose(of: channel)
                throw AMQPError(.refused, "get from \(queue): \(text)", replyCode: code)
            case .content(let heading, let properties, let body):
                if case .fetched(let tag, let isRedelivered) = heading.purpose {
                    return AMQPDelivery(
                        queue: queue, channel: channel, deliveryTag: tag, generation: generation,
                        isRedelivered: isRedelivered, exchange: heading.exchange, routingKey: heading.routingKey,
                        properties: properties, body: body)
                }
            case .method:
                continue
            }
        }
        throw AMQPError(.connectionLost, "get from \(queue): no answer in time")
    }

    /// Runs `body` with an open channel. If an existing connection turns out to be lost, `body` is retried once on a
    /// new connection.
    private func perform<R>(_ body: (ConnectionHandle) throws(AMQPError) -> R) throws(AMQPError) -> R {
        let wasConnected = connection != nil
        do throws(AMQPError) {
            return try attempt(body)
        } catch {
            guard wasConnected, connection == nil else {
                throw error
            }
            return try attempt(body)
        }
    }

    private func attempt<R>(_ body: (ConnectionHandle) throws(AMQPError) -> R) throws(AMQPError) -> R {
        do throws(AMQPError) {
            let connection = try openConnection()
            if !hasChannel {
                try connection.openChannel(Self.channel)
                hasChannel = true
            }
            return try body(connection)
        } catch {
            // A refusal closes the channel; any other error ends the connection.
            hasChannel = false
            if error.code != .refused {
                connection = nil
            }
            throw error
        }
    }

    private func openConnection() throws(AMQPError) -> ConnectionHandle {
        if let connection {
            return connection
        }
        let connection = try ConnectionHandle.connect(configuration)
        generation += 1
        self.connection = connection
        return connection
    }
}

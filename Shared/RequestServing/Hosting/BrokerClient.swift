package import AMQPClient

/// One of a service's connections to the broker, as health and metrics see it.
package struct BrokerClient: Sendable {
    /// What it does: the metrics' `client`.
    package let name: String
    /// The queues that it consumes.
    package let queues: [String]
    /// Whether it is connected now.
    package let isConnected: @Sendable () -> Bool
    /// Why it is not, as far as that is known: the broker is away, refuses the user, or lacks a queue.
    package let failure: @Sendable () -> AMQPError?

    /// A publisher.
    package init(_ name: String, _ publisher: AMQPPublisher) {
        (self.name, queues) = (name, [])
        isConnected = { publisher.isConnected }
        failure = { publisher.failure }
    }

    /// A client of remote calls.
    package init(_ name: String, _ client: AMQPRPCClient) {
        (self.name, queues) = (name, [])
        isConnected = { client.isConnected }
        failure = { client.failure }
    }

    /// A reader of clients' queues, which are not among ``queues``: they come and go.
    package init(_ name: String, _ reader: AMQPQueueReader) {
        (self.name, queues) = (name, [])
        isConnected = { reader.isConnected }
        failure = { reader.failure }
    }

    /// A consumer.
    package init(_ name: String, _ consumer: AMQPConsumer) {
        (self.name, queues) = (name, consumer.queues)
        isConnected = { consumer.isConnected }
        failure = { consumer.failure }
    }
}

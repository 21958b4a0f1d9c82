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
    /// Why the broker takes no publishes of it, in the broker's words; nil while it does.
    package let blockedReason: @Sendable () -> String?
    /// How many messages it gave up because the broker ended connections for them.
    package let givenUpCount: @Sendable () -> Int

    /// What keeps it from working now.
    var reasonNotReady: String? {
        guard isConnected() else {
            return "not connected to the broker: \(name)" + (failure().map { " (\($0))" } ?? "")
        }
        return blockedReason().map { "the broker takes no publishes: \(name) (\($0))" }
    }

    /// A publisher.
    package init(_ name: String, _ publisher: AMQPPublisher) {
        (self.name, queues) = (name, [])
        isConnected = { publisher.isConnected }
        failure = { publisher.failure }
        blockedReason = { publisher.blockedReason }
        givenUpCount = { publisher.givenUpCount }
    }

    /// A client of remote calls.
    package init(_ name: String, _ client: AMQPRPCClient) {
        (self.name, queues) = (name, [])
        isConnected = { client.isConnected }
        failure = { client.failure }
        blockedReason = { client.blockedReason }
        givenUpCount = { client.givenUpCount }
    }

    /// A reader of clients' queues, which are not among ``queues``: they come and go.
    package init(_ name: String, _ reader: AMQPQueueReader) {
        (self.name, queues) = (name, [])
        isConnected = { reader.isConnected }
        failure = { reader.failure }
        (blockedReason, givenUpCount) = ({ nil }, { 0 })
    }

    /// A consumer.
    package init(_ name: String, _ consumer: AMQPConsumer) {
        (self.name, queues) = (name, consumer.queues)
        isConnected = { consumer.isConnected }
        failure = { consumer.failure }
        (blockedReason, givenUpCount) = ({ nil }, { 0 })
    }
}

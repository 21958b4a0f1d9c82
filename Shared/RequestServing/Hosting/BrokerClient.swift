package import AMQPClient

/// One of a service's connections to the broker, for health and metrics.
package struct BrokerClient: Sendable {
    /// The role of the connection, and the label `client` of its metrics.
    package let name: String
    /// The queues that the connection consumes.
    package let queues: [String]
    /// Returns whether the connection is established now.
    package let isConnected: @Sendable () -> Bool
    /// Returns why the connection is not established, if known: the broker is unreachable, refuses the user, or lacks a
    /// queue.
    package let failure: @Sendable () -> AMQPError?
    /// Returns why the broker blocks the connection's publishes, in the broker's words; nil when it does not.
    package let blockedReason: @Sendable () -> String?
    /// Returns the number of messages that were abandoned because the broker closed connections or channels on account
    /// of them.
    package let givenUpCount: @Sendable () -> Int

    /// The reason why the connection cannot be used now; nil when it can.
    var reasonNotReady: String? {
        guard isConnected() else {
            return "not connected to the broker: \(name)" + (failure().map { " (\($0))" } ?? "")
        }
        return blockedReason().map { "the broker takes no publishes: \(name) (\($0))" }
    }

    /// Creates the description of a publisher.
    package init(_ name: String, _ publisher: AMQPPublisher) {
        (self.name, queues) = (name, [])
        isConnected = { publisher.isConnected }
        failure = { publisher.failure }
        blockedReason = { publisher.blockedReason }
        givenUpCount = { publisher.givenUpCount }
    }

    /// Creates the description of an RPC client.
    package init(_ name: String, _ client: AMQPRPCClient) {
        (self.name, queues) = (name, [])
        isConnected = { client.isConnected }
        failure = { client.failure }
        blockedReason = { client.blockedReason }
        givenUpCount = { client.givenUpCount }
    }

    /// Creates the description of a reader of clients' queues. They are not among ``queues``, because they come and go.
    package init(_ name: String, _ reader: AMQPQueueReader) {
        (self.name, queues) = (name, [])
        isConnected = { reader.isConnected }
        failure = { reader.failure }
        (blockedReason, givenUpCount) = ({ nil }, { 0 })
    }

    /// Creates the description of a consumer.
    package init(_ name: String, _ consumer: AMQPConsumer) {
        (self.name, queues) = (name, consumer.queues)
        isConnected = { consumer.isConnected }
        failure = { consumer.failure }
        (blockedReason, givenUpCount) = ({ nil }, { 0 })
    }
}

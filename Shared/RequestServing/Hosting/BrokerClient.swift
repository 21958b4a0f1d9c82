package import AMQPClient

/// One of a service's connections to the broker, for health checks and metrics.
package struct BrokerClient: Sendable {
    /// The role of the connection, and the `client` label of its metrics.
    package let name: String
    /// The client that maintains the connection.
    package let client: any AMQPConnectionClient

    /// The reason why the connection cannot currently be used; nil if it can be used.
    var reasonNotReady: String? {
        guard client.isConnected else {
            return "not connected to the broker: \(name)" + (client.failure.map { " (\($0))" } ?? "")
        }
        return client.blockedReason.map { "the broker accepts no messages: \(name) (\($0))" }
    }

    /// Creates a description of `client`.
    package init(_ name: String, _ client: any AMQPConnectionClient) {
        (self.name, self.client) = (name, client)
    }
}

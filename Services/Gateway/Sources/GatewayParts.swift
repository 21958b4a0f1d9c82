internal import AMQPClient
internal import Logging
internal import PostgresClient
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages

/// The parts of the gateway, put together. Constructing them starts nothing.
struct GatewayParts: Sendable {
    private let publisher: AMQPPublisher
    private let rpc: AMQPRPCClient

    init(_ configuration: GatewayConfiguration, pool: PostgresPool, host: ServiceHost) {
        let amqp = configuration.host.amqp
        publisher = AMQPPublisher(
            configuration: amqp, topology: Topology.needed(by: .gateway), logger: host.logger)
        rpc = AMQPRPCClient(configuration: amqp, logger: host.logger)
    }

    /// For the host: HTTP starts last and stops first.
    var parts: ServiceParts {
        ServiceParts(
            services: [publisher, rpc],
            clients: [BrokerClient("publisher", publisher), BrokerClient("rpc", rpc)])
    }
}

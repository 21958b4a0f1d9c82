internal import CoreMetrics
internal import PostgresClient
internal import ServiceRuntime

/// What is read of a service's connections at each look at its metrics.
enum HostMetrics {
    private static let open = MetricFamily.gauge(
        "zonda_postgres_connections_open", "Connections of the pool: being made, idle or in use.")
    private static let inUse = MetricFamily.gauge(
        "zonda_postgres_connections_in_use", "Connections of the pool that are lent.")
    private static let waiting = MetricFamily.gauge(
        "zonda_postgres_connections_waiting", "Callers that wait for a connection of the pool.")
    private static let connected = MetricFamily.gauge(
        "zonda_broker_connected", "Whether a client of the broker is connected: 1 or 0.")

    /// The pool's connections.
    static func add(_ pool: PostgresPool, to metrics: ServiceMetrics) {
        let (open, inUse, waiting) = (metrics.gauge(open), metrics.gauge(inUse), metrics.gauge(waiting))
        metrics.onScrape {
            let statistics = pool.statistics
            open.set(statistics.open)
            inUse.set(statistics.leased)
            waiting.set(statistics.waiting)
        }
    }

    /// The broker's clients.
    static func add(_ clients: [BrokerClient], to metrics: ServiceMetrics) {
        for client in clients {
            let connected = metrics.gauge(connected, ["client": client.name])
            metrics.onScrape { connected.set(client.isConnected() ? 1 : 0) }
        }
    }
}

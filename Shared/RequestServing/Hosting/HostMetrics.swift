internal import AMQPClient
internal import CoreMetrics
internal import PostgresClient
internal import ServiceRuntime
internal import Synchronization

/// The metrics of a service's connections. They are updated at each scrape.
enum HostMetrics {
    private static let open = MetricFamily.gauge(
        "zonda_postgres_connections_open", "Established connections in a pool, whether idle or in use.")
    private static let inUse = MetricFamily.gauge(
        "zonda_postgres_connections_in_use", "Connections in use in a pool.")
    private static let waiting = MetricFamily.gauge(
        "zonda_postgres_connections_waiting", "Callers waiting for a connection from a pool.")
    private static let connected = MetricFamily.gauge(
        "zonda_broker_connected", "1 if a client of the broker is connected, otherwise 0.")
    private static let blocked = MetricFamily.gauge(
        "zonda_broker_blocked",
        "1 if the broker is short of memory or disk space and accepts no messages from a client, otherwise 0.")
    private static let givenUp = MetricFamily.counter(
        "zonda_broker_messages_given_up_total",
        "Messages that a client gave up on because they made the broker close connections or channels.")

    /// The `pool` label of the pool that every service has.
    static let mainPool = "main"

    /// Adds the metrics of a pool.
    static func add(_ pool: PostgresPool, named name: String, to metrics: ServiceMetrics) {
        let labels: KeyValuePairs = ["pool": name]
        let (open, inUse, waiting) = (
            metrics.gauge(open, labels), metrics.gauge(inUse, labels), metrics.gauge(waiting, labels)
        )
        metrics.onScrape {
            let statistics = pool.statistics
            open.set(statistics.open)
            inUse.set(statistics.leased)
            waiting.set(statistics.waiting)
        }
    }

    /// Adds the metrics of the connections to the broker.
    static func add(_ clients: [BrokerClient], to metrics: ServiceMetrics) {
        for client in clients {
            let labels: KeyValuePairs = ["client": client.name]
            let (connected, blocked, givenUp) = (
                metrics.gauge(connected, labels), metrics.gauge(blocked, labels), metrics.counter(givenUp, labels)
            )
            let counted = Atomic(0)
            metrics.onScrape {
                connected.set(client.client.isConnected ? 1 : 0)
                blocked.set(client.client.blockedReason == nil ? 0 : 1)
                let count = client.client.givenUpCount
                givenUp.increment(by: count - counted.exchange(count, ordering: .relaxed))
            }
        }
    }
}

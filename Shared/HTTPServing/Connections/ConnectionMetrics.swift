internal import CoreMetrics
internal import Metrics
package import ServiceRuntime

/// The metrics of a server's connections, as listed in `deploy/docs/metrics.md`.
package struct ConnectionMetrics: Sendable {
    /// The reason why the server closed a connection before its client did.
    package enum Closing: String, Sendable, CaseIterable {
        /// The server had its maximum number of connections, with a request in progress on each.
        case full
        /// The address had its maximum number of connections, with a request in progress on each.
        case address
        /// The connection was idle, and a new connection needed its permit.
        case replaced
        /// No data was transferred on the connection within the stall limit.
        case stalled
        /// The client sent a request at less than the minimum rate.
        case slowRequest = "slow_request"
        /// The client received a response at less than the minimum rate.
        case slowAnswer = "slow_answer"
    }

    private let closed: LabelledHandles<Closing, Counter>
    private let metrics: ServiceMetrics
    private let open: Meter

    /// Creates the handles in `metrics`.
    package init(_ metrics: ServiceMetrics) {
        self.metrics = metrics
        open = metrics.gauge(Self.open)
        metrics.declare(Self.closed)
        closed = LabelledHandles { metrics.counter(Self.closed, ["reason": $0.rawValue]) }
    }

    /// Counts a connection that was closed or refused.
    func count(_ reason: Closing) { closed[reason].increment() }

    /// Sets the gauge of open connections, at each scrape, to the number that `count` returns.
    func onScrape(_ count: @escaping @Sendable () -> Int) {
        metrics.onScrape { [open] in open.set(count()) }
    }
}

extension ConnectionMetrics {
    package static let open = MetricFamily.gauge("zonda_http_connections", "Open client connections.")
    package static let closed = MetricFamily.counter(
        "zonda_http_connections_closed_total",
        "Connections that the service closed to enforce its limits, by reason.")
}

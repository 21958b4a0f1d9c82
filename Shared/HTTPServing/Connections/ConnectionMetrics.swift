internal import CoreMetrics
internal import Metrics
package import ServiceRuntime

/// What a server counts of its connections. The names are in `deploy/docs/metrics.md`.
package struct ConnectionMetrics: Sendable {
    /// Why a connection was closed before its client did so.
    package enum Closing: String, Sendable, CaseIterable {
        /// There were as many as there may be, and a request was under way on each.
        case full
        /// Its address had as many as it may, and a request was under way on each.
        case address
        /// It was idle, and another one needed its place.
        case replaced
        /// Nothing moved on it.
        case stalled
        /// A request came more slowly than at the least rate.
        case slowRequest = "slow_request"
        /// An answer was taken more slowly than at the least rate.
        case slowAnswer = "slow_answer"
    }

    private let closed: LabelledHandles<Closing, Counter>
    private let metrics: ServiceMetrics
    private let open: Meter

    /// Handles in `metrics`.
    package init(_ metrics: ServiceMetrics) {
        self.metrics = metrics
        open = metrics.gauge(Self.open)
        metrics.declare(Self.closed)
        closed = LabelledHandles { metrics.counter(Self.closed, ["reason": $0.rawValue]) }
    }

    /// A connection was closed, or refused.
    func count(_ reason: Closing) { closed[reason].increment() }

    func onScrape(_ count: @escaping @Sendable () -> Int) {
        metrics.onScrape { [open] in open.set(count()) }
    }
}

extension ConnectionMetrics {
    package static let open = MetricFamily.gauge("zonda_http_connections", "Connections of clients now.")
    package static let closed = MetricFamily.counter(
        "zonda_http_connections_closed_total",
        "Connections that the service closed to keep within its bounds, by reason.")
}

internal import Metrics
internal import ServiceRuntime

/// What is counted of notifications over HTTP. The names are in `deploy/docs/metrics.md`.
struct CourierMetrics: Sendable {
    /// How a client listens; the metrics' `kind`.
    enum Kind: String, Sendable, CaseIterable {
        /// One notification for each request.
        case poll
        /// Server-sent events.
        case stream
    }

    /// Clients that listen now.
    let listening: LabelledHandles<Kind, Meter>
    /// Notifications that clients have received.
    let delivered: LabelledHandles<Kind, Counter>
    /// Notifications that went back to their queue, since the client was gone before it had them.
    let returned: LabelledHandles<Kind, Counter>

    /// Handles in `metrics`.
    init(_ metrics: ServiceMetrics) {
        for family in [Self.listening, Self.delivered, Self.returned] { metrics.declare(family) }
        listening = LabelledHandles { metrics.gauge(Self.listening, ["kind": $0.rawValue]) }
        delivered = LabelledHandles { metrics.counter(Self.delivered, ["kind": $0.rawValue]) }
        returned = LabelledHandles { metrics.counter(Self.returned, ["kind": $0.rawValue]) }
    }
}

extension CourierMetrics {
    private static let listening = MetricFamily.gauge(
        "zonda_courier_listening", "Clients that wait for notifications over HTTP now, by long poll or stream.")
    private static let delivered = MetricFamily.counter(
        "zonda_courier_delivered_total", "Notifications that clients have received over HTTP.")
    private static let returned = MetricFamily.counter(
        "zonda_courier_returned_total",
        "Notifications that went back to their queue because the client was gone before it had them.")
}

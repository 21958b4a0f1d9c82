internal import Metrics
internal import ServiceRuntime

/// The metrics for notifications over HTTP. `deploy/docs/metrics.md` lists their names.
struct CourierMetrics: Sendable {
    /// The way in which a client waits for notifications; the `kind` label in the metrics.
    enum Kind: String, Sendable, CaseIterable {
        /// A long poll: one notification per request.
        case poll
        /// Server-sent events.
        case stream
    }

    /// Clients that are currently waiting.
    let listening: LabelledHandles<Kind, Meter>
    /// Notifications that clients have received.
    let delivered: LabelledHandles<Kind, Counter>
    /// Notifications that returned to their queue because the client disconnected before it received them.
    let returned: LabelledHandles<Kind, Counter>

    /// Creates the handles in `metrics`.
    init(_ metrics: ServiceMetrics) {
        for family in [Self.listening, Self.delivered, Self.returned] { metrics.declare(family) }
        listening = LabelledHandles { metrics.gauge(Self.listening, ["kind": $0.rawValue]) }
        delivered = LabelledHandles { metrics.counter(Self.delivered, ["kind": $0.rawValue]) }
        returned = LabelledHandles { metrics.counter(Self.returned, ["kind": $0.rawValue]) }
    }
}

extension CourierMetrics {
    private static let listening = MetricFamily.gauge(
        "zonda_courier_listening", "Clients that are waiting for notifications over HTTP, by long poll or stream.")
    private static let delivered = MetricFamily.counter(
        "zonda_courier_delivered_total", "Notifications that clients have received over HTTP.")
    private static let returned = MetricFamily.counter(
        "zonda_courier_returned_total",
        "Notifications that returned to their queue because the client disconnected before it received them.")
}

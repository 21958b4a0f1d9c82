internal import CloudKitModel
internal import Metrics
internal import ServiceRuntime
internal import Synchronization

/// The metrics for HTTP requests. `deploy/docs/metrics.md` lists their names.
struct GatewayMetrics: Sendable {
    /// The labels of an answered request.
    struct Outcome: Hashable, Sendable {
        /// An endpoint, such as `records.query`, or `signin`, `courier`, `documents` or `unknown`.
        var endpoint: String
        var status: Int
    }

    let requests: LabelledHandles<Outcome, Counter>
    /// The time from the head of a request to the head of its response.
    let seconds: LabelledHandles<String, Timer>
    /// Throttled requests, by the rate that was exceeded: `address`, `token` or `user`.
    let throttled: LabelledHandles<String, Counter>
    /// Refused bodies, by the bound that was exceeded: `length`, `inflation`, or the bound of a `FairBudget`.
    let refusedBodies: LabelledHandles<String, Counter>
    /// Uses of a web auth token after a newer token from the same session was used.
    let olderTokens: Counter
    private let inFlight = InFlight()

    private final class InFlight: Sendable {
        let count = Atomic(0)
    }

    /// Creates the handles in `metrics`.
    init(_ metrics: ServiceMetrics) {
        for family in [Self.requests, Self.seconds, Self.throttled, Self.refusedBodies] { metrics.declare(family) }
        requests = LabelledHandles {
            metrics.counter(Self.requests, ["endpoint": $0.endpoint, "status": String($0.status)])
        }
        seconds = LabelledHandles { metrics.timer(Self.seconds, ["endpoint": $0]) }
        throttled = LabelledHandles { metrics.counter(Self.throttled, ["rate": $0]) }
        refusedBodies = LabelledHandles { metrics.counter(Self.refusedBodies, ["bound": $0]) }
        olderTokens = metrics.counter(Self.olderTokens)
        let gauge = metrics.gauge(Self.inFlight)
        metrics.onScrape { [inFlight] in gauge.set(inFlight.count.load(ordering: .relaxed)) }
    }

    /// Exports the number of bytes of request bodies in memory.
    ///
    /// - Parameter bodyBytes: returns the number; called at each scrape.
    static func show(bodyBytes: @escaping @Sendable () -> Int, in metrics: ServiceMetrics) {
        let gauge = metrics.gauge(Self.bodyBytes)
        metrics.onScrape { gauge.set(bodyBytes()) }
    }

    /// Notes that the head of a request has been read.
    func began() { inFlight.count.wrappingAdd(1, ordering: .relaxed) }

    /// Notes that the head of the response is complete.
    func ended(_ endpoint: String, status: Int, after time: Duration) {
        inFlight.count.wrappingSubtract(1, ordering: .relaxed)
        requests[Outcome(endpoint: endpoint, status: status)].increment()
        seconds[endpoint].record(duration: time)
    }
}

extension GatewayMetrics {
    static let requests = MetricFamily.counter(
        "zonda_gateway_http_requests_total", "HTTP requests, by endpoint and status.")
    static let seconds = MetricFamily.histogram(
        "zonda_gateway_http_request_seconds",
        "Time from the head of an HTTP request to the head of its response, including the time that a poll waits.",
        buckets: .longTimes)
    static let throttled = MetricFamily.counter(
        "zonda_gateway_throttled_total", "Requests that were refused because they exceeded a rate, by rate.")
    static let refusedBodies = MetricFamily.counter(
        "zonda_gateway_bodies_refused_total",
        "Requests whose body was not read to its end, by the bound that it would have exceeded.")
    static let olderTokens = MetricFamily.counter(
        "zonda_gateway_older_tokens_total",
        "Requests that used a web auth token minutes after a newer token from the same session had been used.")
    static let bodyBytes = MetricFamily.gauge(
        "zonda_gateway_body_bytes", "Bytes of request bodies in memory.")
    static let inFlight = MetricFamily.gauge(
        "zonda_gateway_http_requests_in_flight", "HTTP requests that are being read or answered, including polls.")
}

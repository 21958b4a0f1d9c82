package import AMQPClient
internal import CloudKitModel
internal import Metrics
internal import ServiceMessages
package import ServiceRuntime

/// The request metrics that every service has. `deploy/docs/metrics.md` lists them.
package struct RequestMetrics: Sendable {
    /// An operation and an outcome. The operation is nil if the routing key does not name one.
    private struct Outcome<Value: Hashable & Sendable>: Hashable, Sendable {
        var operation: Operation?
        var value: Value
    }

    private let answers: LabelledHandles<Outcome<Int>, Counter>
    private let errors: LabelledHandles<Outcome<ServerErrorCode>, Counter>
    private let durations: LabelledHandles<Operation?, Timer>
    private let ages: LabelledHandles<String, Recorder>
    private let inProgress: Meter
    private let requestsExpired: Counter
    /// The number of answers, events and dead letters that the broker did not accept.
    let publishesRefused: Counter
    /// The number of retries because of a database outage.
    let databaseRetries: Counter

    /// Creates the handles in `metrics`.
    package init(_ metrics: ServiceMetrics) {
        for family in [Self.requests, Self.errors, Self.seconds, Self.age] { metrics.declare(family) }
        answers = LabelledHandles { outcome in
            metrics.counter(
                Self.requests, ["operation": Self.label(outcome.operation), "status": String(outcome.value)])
        }
        errors = LabelledHandles { outcome in
            metrics.counter(
                Self.errors, ["operation": Self.label(outcome.operation), "code": outcome.value.rawValue])
        }
        durations = LabelledHandles { metrics.timer(Self.seconds, ["operation": Self.label($0)]) }
        ages = LabelledHandles { metrics.histogram(Self.age, ["queue": $0]) }
        inProgress = metrics.gauge(Self.progress)
        requestsExpired = metrics.counter(Self.expired)
        publishesRefused = metrics.counter(Self.refused)
        databaseRetries = metrics.counter(Self.retries)
    }

    /// Notes that a request was delivered from its queue.
    package func took(_ delivery: AMQPDelivery) {
        inProgress.increment()
        guard let sent = delivery.properties.timestamp else { return }
        // The timestamp is in whole seconds of the sender's clock, so the age can be negative.
        let age = Double(SystemClock.milliseconds()) / 1000 - Double(sent)
        ages[delivery.queue].record(max(0, age))
    }

    /// Notes that requests were dropped because their deadline had passed.
    package func expired(_ count: Int = 1) {
        requestsExpired.increment(by: count)
        inProgress.decrement(by: Double(count))
    }

    /// Notes that requests were abandoned because the broker will redeliver them to this or another instance.
    package func wentBack(_ count: Int = 1) { inProgress.decrement(by: Double(count)) }

    /// Records the answer to a request.
    func answered(_ response: Response) {
        let operation = Self.operation(of: response)
        answers[Outcome(operation: operation, value: response.answer.status)].increment()
        for code in response.answer.errorCodes { errors[Outcome(operation: operation, value: code)].increment() }
    }

    /// Notes that the answer to a request was confirmed or abandoned. `time` is the time since the request was
    /// delivered.
    func settled(_ response: Response, after time: Duration) {
        durations[Self.operation(of: response)].record(duration: time)
        inProgress.decrement()
    }

    private static func operation(of response: Response) -> Operation? {
        Operation(rawValue: response.delivery.routingKey)
    }

    private static func label(_ operation: Operation?) -> String { operation?.rawValue ?? "unknown" }
}

extension RequestMetrics {
    private static let requests = MetricFamily.counter("zonda_requests_total", "Requests answered.")
    private static let errors = MetricFamily.counter(
        "zonda_errors_total", "Errors in answers, for whole requests and for single items, by serverErrorCode.")
    private static let seconds = MetricFamily.histogram(
        "zonda_request_seconds", "Time from the delivery of a request until the broker confirmed its answer.",
        buckets: .shortTimes)
    private static let age = MetricFamily.histogram(
        "zonda_request_age_seconds",
        "Age of requests when they were delivered from their queue, if they have a timestamp.",
        buckets: .longTimes)
    private static let progress = MetricFamily.gauge(
        "zonda_requests_in_progress", "Requests that were delivered but have not been answered yet.")
    private static let expired = MetricFamily.counter(
        "zonda_requests_expired_total", "Requests dropped because their deadline had passed.")
    private static let refused = MetricFamily.counter(
        "zonda_publishes_refused_total", "Answers, events and dead letters that the broker did not accept.")
    private static let retries = MetricFamily.counter(
        "zonda_database_retries_total", "Number of times that work was retried because the database was unavailable.")
}

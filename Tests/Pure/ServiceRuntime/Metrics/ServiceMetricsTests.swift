import Metrics
import ServiceRuntime
import Testing

/// The counted values, as shown in `/metrics`.
@Suite struct ServiceMetricsTests {
    private static let requests = MetricFamily.counter("requests_total", "Requests.")
    private static let connections = MetricFamily.gauge("connections", "Connections.")
    private static let seconds = MetricFamily.histogram("seconds", "Times.", buckets: [0.1, 1])
    private let metrics = ServiceMetrics()

    @Test func countersShowEachSeriesUnderOneHead() {
        metrics.counter(Self.requests, ["operation": "b"]).increment(by: 2)
        metrics.counter(Self.requests, ["operation": "a"]).increment()
        #expect(
            metrics.rendered() == """
                # HELP requests_total Requests.
                # TYPE requests_total counter
                requests_total{operation="a"} 1
                requests_total{operation="b"} 2

                """)
    }

    @Test func familyIsShownBeforeItHasASeries() {
        metrics.declare(Self.connections)
        #expect(metrics.rendered() == "# HELP connections Connections.\n# TYPE connections gauge\n")
    }

    @Test func handlesOfOneSeriesCountTogether() {
        metrics.counter(Self.requests, ["operation": "a"]).increment()
        metrics.counter(Self.requests, ["operation": "a"]).increment(by: 4)
        #expect(metrics.value(of: Self.requests, ["operation": "a"]) == 5)
        #expect(metrics.value(of: Self.requests, ["operation": "b"]) == 0)
    }

    @Test func timesFallIntoCumulativeBucketsOfSeconds() {
        let timer = metrics.timer(Self.seconds, ["of": "x"])
        for milliseconds in [50, 100, 500, 20_000] { timer.recordMilliseconds(milliseconds) }
        #expect(
            metrics.rendered() == """
                # HELP seconds Times.
                # TYPE seconds histogram
                seconds_bucket{of="x",le="0.1"} 2
                seconds_bucket{of="x",le="1"} 3
                seconds_bucket{of="x",le="+Inf"} 4
                seconds_sum{of="x"} 20.65
                seconds_count{of="x"} 4

                """)
    }

    @Test func aGaugeIsReadWhenMetricsAreRequested() {
        let gauge = metrics.gauge(Self.connections)
        metrics.onScrape { gauge.increment(by: 1.5) }
        #expect(metrics.rendered().hasSuffix("\nconnections 1.5\n"))
        #expect(metrics.rendered().hasSuffix("\nconnections 3\n"))
        gauge.decrement(by: 4.5)
        #expect(metrics.rendered().hasSuffix("\nconnections 0\n"))
        metrics.onScrape { gauge.set(Double.nan) }
        #expect(metrics.rendered().hasSuffix("\nconnections NaN\n"))
    }

    @Test func labelsAndHelpAreEscaped() {
        metrics.counter(.counter("odd_total", "a\\b\nc"), ["of": "a\"b\\c\nd"]).increment()
        let lines = metrics.rendered().split(separator: "\n")
        #expect(lines[0] == "# HELP odd_total a\\\\b\\nc")
        #expect(lines[2] == "odd_total{of=\"a\\\"b\\\\c\\nd\"} 1")
    }

    @Test func handlesThatSwiftMetricsMakesAreTakenWithoutADeclaration() {
        FloatingPointCounter(label: "joules_total", factory: metrics).increment(by: 0.25)
        Gauge(label: "level", factory: metrics).record(7)
        Timer(label: "wait_seconds", factory: metrics).recordSeconds(1)
        let text = metrics.rendered()
        #expect(text.contains("# TYPE joules_total counter\njoules_total 0.25\n"))
        #expect(text.contains("# TYPE level gauge\nlevel 7\n"))
        #expect(text.contains("wait_seconds_count 1\n"))
    }

    @Test func incrementsFromManyTasksAllCount() async {
        let handles = LabelledHandles<Bool, Counter> { [metrics] in
            metrics.counter(Self.requests, ["operation": $0 ? "a" : "b"])
        }
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask { for _ in 0..<1000 { handles[task.isMultiple(of: 2)].increment() } }
            }
        }
        #expect(metrics.value(of: Self.requests, ["operation": "a"]) == 4000)
        #expect(metrics.value(of: Self.requests, ["operation": "b"]) == 4000)
    }
}

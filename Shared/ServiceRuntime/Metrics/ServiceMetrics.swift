package import Metrics
internal import Synchronization

/// The metrics of one service: a swift-metrics backend that renders Prometheus' text format. Thread-safe.
///
/// The instance is passed to the code that records metrics instead of being installed with `MetricsSystem.bootstrap`,
/// so that two services in one test process count separately. Create each handle (`Counter`, `Meter`, `Recorder`,
/// `Timer`) once for each set of labels and keep it: creating a handle requires a look-up, whereas using it requires
/// only an atomic addition or a brief lock. A series exists for as long as its registry does, even if its handles are
/// released. Label values must come from closed sets, never from clients.
package final class ServiceMetrics: MetricsFactory {
    private struct Entry {
        let family: MetricFamily
        var series: [SeriesLabels: any MetricCell] = [:]
    }

    private let entries = Mutex<[String: Entry]>([:])
    private let collectors = Mutex<[@Sendable () -> Void]>([])

    /// Creates an empty registry.
    package init() {}

    // MARK: Handles

    /// Returns a handle for a counter.
    package func counter(_ family: MetricFamily, _ labels: KeyValuePairs<String, String> = [:]) -> Counter {
        declare(family)
        return Counter(label: family.name, dimensions: labels.pairs, factory: self)
    }

    /// Returns a handle for a gauge.
    package func gauge(_ family: MetricFamily, _ labels: KeyValuePairs<String, String> = [:]) -> Meter {
        declare(family)
        return Meter(label: family.name, dimensions: labels.pairs, factory: self)
    }

    /// Returns a handle for a histogram of numbers.
    package func histogram(_ family: MetricFamily, _ labels: KeyValuePairs<String, String> = [:]) -> Recorder {
        declare(family)
        return Recorder(label: family.name, dimensions: labels.pairs, aggregate: true, factory: self)
    }

    /// Returns a handle for a histogram of durations.
    package func timer(_ family: MetricFamily, _ labels: KeyValuePairs<String, String> = [:]) -> Timer {
        declare(family)
        return Timer(label: family.name, dimensions: labels.pairs, factory: self)
    }

    /// Declares a family, so that it is rendered even before it has a series.
    package func declare(_ family: MetricFamily) {
        entries.withLock { entries in
            if entries[family.name] == nil { entries[family.name] = Entry(family: family) }
        }
    }

    // MARK: Reading

    /// Calls `collect` before each scrape, to set values that are not worth tracking continuously.
    package func onScrape(_ collect: @escaping @Sendable () -> Void) { collectors.withLock { $0.append(collect) } }

    /// Returns the current value of a series; for a histogram, the number of recorded values. Returns 0 if the series
    /// does not exist.
    package func value(of family: MetricFamily, _ labels: KeyValuePairs<String, String> = [:]) -> Double {
        let labels = SeriesLabels(labels.pairs)
        return entries.withLock { $0[family.name]?.series[labels] }?.value ?? 0
    }

    /// Renders all families in Prometheus' text format 0.0.4.
    package func rendered() -> String {
        for collect in collectors.withLock({ $0 }) { collect() }
        var text = PrometheusText()
        for (name, entry) in entries.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            text.head(entry.family)
            for (labels, cell) in entry.series.sorted(by: { $0.key.text < $1.key.text }) {
                cell.write(name, labels, to: &text)
            }
        }
        return text.text
    }

    // MARK: MetricsFactory

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        cell(.counter(label, ""), dimensions) { _ in CounterCell() }
    }

    package func makeFloatingPointCounter(label: String, dimensions: [(String, String)])
        -> any FloatingPointCounterHandler
    {
        cell(.counter(label, ""), dimensions) { _ in NumberCell() }
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        cell(.gauge(label, ""), dimensions) { _ in NumberCell() }
    }

    package func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
        guard aggregate else { return cell(.gauge(label, ""), dimensions) { _ in NumberCell() } }
        return cell(.histogram(label, "", buckets: []), dimensions) { HistogramCell(bounds: $0.buckets) }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        cell(.histogram(label, "", buckets: .shortTimes), dimensions) { HistogramCell(bounds: $0.buckets) }
    }

    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// Returns the cell of a series, and creates it on first use. `fallback` is used if no family with its name has
    /// been declared.
    private func cell<Cell: MetricCell>(
        _ fallback: MetricFamily, _ labels: [(String, String)], _ make: (MetricFamily) -> Cell
    ) -> Cell {
        entries.withLock { entries in
            var entry = entries[fallback.name] ?? Entry(family: fallback)
            precondition(entry.family.kind == fallback.kind, "\(fallback.name) is a \(entry.family.kind)")
            let labels = SeriesLabels(labels)
            if let known = entry.series[labels] as? Cell { return known }
            precondition(entry.series[labels] == nil, "\(fallback.name) already has a handle of another type")
            let cell = make(entry.family)
            entry.series[labels] = cell
            entries[fallback.name] = entry
            return cell
        }
    }
}

extension KeyValuePairs<String, String> {
    fileprivate var pairs: [(String, String)] { map { ($0.key, $0.value) } }
}

internal import Synchronization

/// Counts of one process, rendered as Prometheus text. Any thread.
package final class ServiceMetrics: Sendable {
    /// A named series: `zonda_requests_total{operation="records.modify",status="200"}`.
    package struct Series: Hashable, Sendable {
        let name: String
        let labels: String

        /// A series with labels, in the order given. Label values come from closed sets, never from clients.
        package init(_ name: String, _ labels: KeyValuePairs<String, String> = [:]) {
            self.name = name
            self.labels = labels.map { "\($0.key)=\"\($0.value)\"" }.joined(separator: ",")
        }
    }

    private let counters = Mutex<[Series: Int]>([:])

    /// Counts nothing yet.
    package init() {}

    /// Adds `amount` to a counter.
    package func count(_ series: Series, by amount: Int = 1) {
        counters.withLock { $0[series, default: 0] += amount }
    }

    /// The present value of a counter.
    package func value(of series: Series) -> Int {
        counters.withLock { $0[series, default: 0] }
    }

    /// All series and the process's memory, in Prometheus' text format.
    package func rendered() -> String {
        let all = counters.withLock { $0 }.sorted { ($0.key.name, $0.key.labels) < ($1.key.name, $1.key.labels) }
        var text = ""
        var previous = ""
        for (series, value) in all {
            if series.name != previous { text += "# TYPE \(series.name) counter\n" }
            previous = series.name
            text += series.labels.isEmpty ? "\(series.name) \(value)\n" : "\(series.name){\(series.labels)} \(value)\n"
        }
        if let memory = ProcessMemory.current() {
            text += "# TYPE process_resident_memory_bytes gauge\n"
            text += "process_resident_memory_bytes \(memory.residentBytes)\n"
            text += "# TYPE process_peak_resident_bytes gauge\nprocess_peak_resident_bytes \(memory.peakBytes)\n"
        }
        return text
    }
}

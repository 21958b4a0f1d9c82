internal import Foundation
internal import Metrics

/// The metrics of the process itself, named as in Prometheus' own clients.
package enum ProcessMetrics {
    private static let resident = MetricFamily.gauge(
        "process_resident_memory_bytes", "The current resident memory.")
    private static let peak = MetricFamily.gauge(
        "process_peak_resident_bytes", "The peak resident memory.")
    private static let start = MetricFamily.gauge(
        "process_start_time_seconds", "The time at which the process started, in seconds since 1970.")

    /// Adds the metrics of the process to `metrics`. The memory is read at each scrape.
    package static func add(to metrics: ServiceMetrics) {
        metrics.gauge(start).set(Date().timeIntervalSince1970)
        let (resident, peak) = (metrics.gauge(resident), metrics.gauge(peak))
        metrics.onScrape {
            guard let memory = ProcessMemory.current() else { return }
            resident.set(memory.residentBytes)
            peak.set(memory.peakBytes)
        }
    }
}

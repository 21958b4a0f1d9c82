import CloudKitWire
import CommandLineSession
import Histogram

/// A histogram of latencies in microseconds, with three significant digits, up to ten minutes.
struct LatencyHistogram: Sendable {
    private var histogram = Histogram<UInt64>(
        highestTrackableValue: Self.highestMicroseconds, numberOfSignificantValueDigits: .three)
    private static let highestMicroseconds: UInt64 = 600_000_000

    /// Creates an empty histogram.
    init() {}

    /// The number of latencies.
    var count: UInt64 { histogram.totalCount }

    /// Adds a latency. A latency above ten minutes counts as ten minutes.
    mutating func record(_ latency: Duration) {
        histogram.record(min(latency.microseconds, Self.highestMicroseconds))
    }

    /// Adds all latencies of `other`.
    mutating func add(_ other: LatencyHistogram) { histogram.add(other.histogram) }

    /// Returns the latency in milliseconds that `percentile` per cent of all latencies do not exceed; nil if there are
    /// none.
    func milliseconds(atPercentile percentile: Double) -> Double? {
        guard count > 0 else { return nil }
        return (Double(histogram.valueAtPercentile(percentile)) / 1000).rounded(places: 3)
    }
}

extension LatencyHistogram {
    private static let percentiles: [(name: String, value: Double)] = [
        ("p50", 50), ("p90", 90), ("p99", 99), ("p999", 99.9),
    ]

    /// The members `p50`, `p90`, `p99` and `p999`, in milliseconds; null if there are no latencies.
    var members: [(String, JSONValue?)] {
        Self.percentiles.map { name, value in
            (name, milliseconds(atPercentile: value).map { .double($0) } ?? .null)
        }
    }

    /// Adds a row with the same values if there are latencies.
    func add(to table: inout TextTable) {
        let times = Self.percentiles.compactMap { name, value in
            milliseconds(atPercentile: value).map { "\(name) \($0.rounded(places: 1))" }
        }
        if !times.isEmpty { table.add("latency, ms", times.joined(separator: "   ")) }
    }
}

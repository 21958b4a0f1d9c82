import Histogram

/// Latencies, three significant digits kept, in microseconds up to ten minutes.
struct LatencyHistogram: Sendable {
    private var histogram = Histogram<UInt64>(
        highestTrackableValue: Self.highestMicroseconds, numberOfSignificantValueDigits: .three)
    private static let highestMicroseconds: UInt64 = 600_000_000

    /// No latencies.
    init() {}

    /// How many there are.
    var count: UInt64 { histogram.totalCount }

    /// Adds one; what lasted longer than ten minutes counts as ten.
    mutating func record(_ latency: Duration) {
        histogram.record(min(latency.microseconds, Self.highestMicroseconds))
    }

    /// Adds all of `other`.
    mutating func add(_ other: LatencyHistogram) { histogram.add(other.histogram) }

    /// The latency in milliseconds that `percentile` per cent of all do not exceed; nil if there are none.
    func milliseconds(atPercentile percentile: Double) -> Double? {
        guard count > 0 else { return nil }
        return (Double(histogram.valueAtPercentile(percentile)) / 1000).rounded(places: 3)
    }
}

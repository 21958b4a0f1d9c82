internal import Metrics
internal import Synchronization

/// The storage of a series, to which a handle of swift-metrics (`Counter`, `Meter`, `Timer` …) writes.
protocol MetricCell: AnyObject, Sendable {
    /// The value; for a histogram, the number of recorded values.
    var value: Double { get }
    /// Writes the lines of the series.
    func write(_ name: String, _ labels: SeriesLabels, to text: inout PrometheusText)
}

/// A counter of whole numbers. Thread-safe without a lock.
final class CounterCell: MetricCell, CounterHandler {
    private let count = Atomic<Int64>(0)

    var value: Double { Double(count.load(ordering: .relaxed)) }

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }

    func reset() { count.store(0, ordering: .relaxed) }

    func write(_ name: String, _ labels: SeriesLabels, to text: inout PrometheusText) {
        text.sample(name, labels, value)
    }
}

/// A gauge, or a counter of fractions.
final class NumberCell: MetricCell, MeterHandler, FloatingPointCounterHandler, RecorderHandler {
    private let number = Mutex(0.0)

    var value: Double { number.withLock { $0 } }

    func set(_ value: Int64) { set(Double(value)) }
    func set(_ value: Double) { number.withLock { $0 = value } }
    func record(_ value: Int64) { set(value) }
    func record(_ value: Double) { set(value) }
    func increment(by amount: Double) { number.withLock { $0 += amount } }
    func decrement(by amount: Double) { number.withLock { $0 -= amount } }
    func reset() { set(0.0) }

    func write(_ name: String, _ labels: SeriesLabels, to text: inout PrometheusText) {
        text.sample(name, labels, value)
    }
}

/// A histogram, which counts values by bucket. Durations are recorded in nanoseconds and exposed in seconds.
final class HistogramCell: MetricCell, RecorderHandler, TimerHandler {
    private struct State {
        /// The number of values in each bucket, not cumulative. The last bucket contains the values above all bounds.
        var counts: [Int]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let state: Mutex<State>

    init(bounds: [Double]) {
        self.bounds = bounds
        state = Mutex(State(counts: Array(repeating: 0, count: bounds.count + 1)))
    }

    var value: Double { state.withLock { Double($0.counts.reduce(0, +)) } }

    func record(_ value: Int64) { record(Double(value)) }

    func record(_ value: Double) {
        let bucket = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[bucket] += 1
            state.sum += value
        }
    }

    func recordNanoseconds(_ duration: Int64) { record(Double(duration) / 1e9) }

    func write(_ name: String, _ labels: SeriesLabels, to text: inout PrometheusText) {
        let state = state.withLock { $0 }
        var count = 0
        for (bound, inBucket) in zip(bounds + [.infinity], state.counts) {
            count += inBucket
            text.sample(name + "_bucket", labels.with("le", PrometheusText.number(bound)), Double(count))
        }
        text.sample(name + "_sum", labels, state.sum)
        text.sample(name + "_count", labels, Double(count))
    }
}

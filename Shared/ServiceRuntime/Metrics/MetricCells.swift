internal import Metrics
internal import Synchronization

/// Where a series' numbers are kept: what a handle of swift-metrics (`Counter`, `Meter`, `Timer` …) writes to.
protocol MetricCell: AnyObject, Sendable {
    /// Its value; of a histogram, how many were recorded.
    var value: Double { get }
    /// Its lines.
    func write(_ name: String, _ labels: SeriesLabels, to text: inout PrometheusText)
}

/// Counts whole numbers. Any thread, without a lock.
final class CounterCell: MetricCell, CounterHandler {
    private let count = Atomic<Int64>(0)

    var value: Double { Double(count.load(ordering: .relaxed)) }

    func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }

    func reset() { count.store(0, ordering: .relaxed) }

    func write(_ name: String, _ labels: SeriesLabels, to text: inout PrometheusText) {
        text.sample(name, labels, value)
    }
}

/// A number that comes and goes, or that is counted in fractions.
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

/// Counts numbers by the bucket they fall into. Times are recorded in nanoseconds and shown in seconds.
final class HistogramCell: MetricCell, RecorderHandler, TimerHandler {
    private struct State {
        /// Of each bucket alone; the last is above all bounds.
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

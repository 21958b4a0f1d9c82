/// A metric family, in Prometheus terms: a name with its meaning, and one series for each set of labels.
package struct MetricFamily: Sendable, Hashable {
    /// The kind of metric.
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// The name, which follows Prometheus' conventions: it ends with the base unit (seconds, bytes), and a counter's
    /// name also has the suffix `_total`.
    package let name: String
    /// The meaning, in one line.
    package let help: String
    /// The kind of metric.
    package let kind: Kind
    /// The upper bounds of a histogram's buckets, in ascending order and without infinity.
    package let buckets: [Double]

    private init(_ name: String, _ help: String, _ kind: Kind, buckets: [Double] = []) {
        self.name = name
        self.help = help
        self.kind = kind
        self.buckets = buckets
    }

    /// Returns a counter, whose value only increases.
    package static func counter(_ name: String, _ help: String) -> Self { Self(name, help, .counter) }

    /// Returns a gauge, whose value can increase and decrease.
    package static func gauge(_ name: String, _ help: String) -> Self { Self(name, help, .gauge) }

    /// Returns a histogram.
    package static func histogram(_ name: String, _ help: String, buckets: [Double]) -> Self {
        Self(name, help, .histogram, buckets: buckets)
    }
}

extension [Double] {
    /// Buckets, in seconds, for operations that are expected to take milliseconds.
    package static let shortTimes: Self = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]
    /// Buckets, in seconds, for waits that can last minutes or hours.
    package static let longTimes: Self = [0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 3600, 86_400]
}

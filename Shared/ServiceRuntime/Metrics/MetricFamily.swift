/// A metric as Prometheus knows it: a name with its meaning, under which stands a series for each set of labels.
package struct MetricFamily: Sendable, Hashable {
    /// What its numbers are.
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    /// In Prometheus' spelling: base units (seconds, bytes) at the end, after which a counter has `_total`.
    package let name: String
    /// The meaning, in a line.
    package let help: String
    /// What its numbers are.
    package let kind: Kind
    /// Of a histogram: the upper bounds of its buckets, ascending, without infinity.
    package let buckets: [Double]

    private init(_ name: String, _ help: String, _ kind: Kind, buckets: [Double] = []) {
        self.name = name
        self.help = help
        self.kind = kind
        self.buckets = buckets
    }

    /// What only grows.
    package static func counter(_ name: String, _ help: String) -> Self { Self(name, help, .counter) }

    /// What comes and goes.
    package static func gauge(_ name: String, _ help: String) -> Self { Self(name, help, .gauge) }

    /// How numbers are distributed.
    package static func histogram(_ name: String, _ help: String, buckets: [Double]) -> Self {
        Self(name, help, .histogram, buckets: buckets)
    }
}

extension [Double] {
    /// Seconds of what ought to take milliseconds.
    package static let shortTimes: Self = [
        0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30,
    ]
    /// Seconds of what may wait for minutes or hours.
    package static let longTimes: Self = [0.01, 0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800, 3600, 86_400]
}

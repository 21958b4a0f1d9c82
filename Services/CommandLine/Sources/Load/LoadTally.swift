import Synchronization

/// What a producer's slots have done so far; read by the progress line while they go on.
final class LoadTally: Sendable {
    /// The counts.
    struct Counts: Sendable {
        /// Operations (one record written) that the service acknowledged.
        var acknowledged = 0
        /// Records that were read.
        var reads = 0
        /// Operations and reads that were refused or never answered.
        var failed = 0
        /// Reads that showed an older number than the last acknowledged one.
        var staleReads = 0
        /// Requests that were sent again under the same message id.
        var retried = 0
        /// Failures by the service's code, or `NO_ANSWER`.
        var errors: [String: Int] = [:]
        /// Latency of each answered request, from the moment it was due until its answer, repeats included.
        var latencies = LatencyHistogram()

        static func += (left: inout Counts, right: Counts) {
            left.acknowledged += right.acknowledged
            left.reads += right.reads
            left.failed += right.failed
            left.staleReads += right.staleReads
            left.retried += right.retried
            left.errors.merge(right.errors, uniquingKeysWith: +)
            left.latencies.add(right.latencies)
        }
    }

    private let counts = Mutex(Counts())

    /// The counts now.
    var now: Counts { counts.withLock { $0 } }

    /// Operations and reads answered well so far; cheaper than ``now``.
    var answered: (operations: Int, failed: Int) {
        counts.withLock { ($0.acknowledged + $0.reads, $0.failed) }
    }

    /// Changes the counts.
    func update(_ change: (inout Counts) -> Void) { counts.withLock { change(&$0) } }
}

/// What a producer's slots of a records load have done so far.
struct RecordLoadCounts: Sendable {
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
    var errors = ErrorCounts()
    /// Latency of each answered request, from the moment it was due until its answer, repeats included.
    var latencies = LatencyHistogram()

    static func += (left: inout RecordLoadCounts, right: RecordLoadCounts) {
        left.acknowledged += right.acknowledged
        left.reads += right.reads
        left.failed += right.failed
        left.staleReads += right.staleReads
        left.retried += right.retried
        left.errors += right.errors
        left.latencies.add(right.latencies)
    }
}

/// The counts of all slots of a record load.
struct RecordLoadCounts: Sendable {
    /// The number of acknowledged operations, each of which writes one record.
    var acknowledged = 0
    /// The number of records that were read.
    var reads = 0
    /// The number of operations and reads that were refused or never answered.
    var failed = 0
    /// The number of reads that returned an older number than the last acknowledged one.
    var staleReads = 0
    /// The number of requests that were repeated with the same message id.
    var retried = 0
    /// The number of failures for each code, which is the service's or `NO_ANSWER`.
    var errors = ErrorCounts()
    /// The latency of each answered request, from its scheduled start to its answer, including repeats.
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

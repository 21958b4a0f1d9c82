/// The verification of one zone. It compares the expected states of the load's records with their states in look-ups
/// and in the change feed, as one user sees them. A record counts only once for each kind of error.
struct ZoneAudit: Sendable {
    typealias Record = LoadNames.Record

    /// The errors that were found.
    struct Findings: Equatable, Sendable {
        /// The number of acknowledged records that are missing in a look-up or in the feed.
        var missing = 0
        /// The number of records whose number is not that of the last acknowledged write.
        var stale = 0
        /// The number of records that the feed contains more than once.
        var repeated = 0
        /// The number of acknowledged records that a participant's copy lacks, or contains with a wrong number.
        var lost = 0
        /// The number of records that a participant saw and must not see.
        var foreign = 0
        /// The number of verified records. A record counts once for each user who sees it.
        var checked = 0

        static func += (left: inout Findings, right: Findings) {
            left.missing += right.missing
            left.stale += right.stale
            left.repeated += right.repeated
            left.lost += right.lost
            left.foreign += right.foreign
            left.checked += right.checked
        }
    }

    private let expectations: [Record: RecordLedger.Expectation]
    private let hidden: Set<Record>
    private var missing: Set<Record> = []
    private var stale: Set<Record> = []
    private var repeated: Set<Record> = []
    private var fed: Set<Record> = []
    private var foreign: Set<Record> = []

    /// Creates an audit of the records that have an expected state.
    ///
    /// - Parameter hidden: the records that the user must not see.
    init(expectations: [Record: RecordLedger.Expectation], hidden: Set<Record> = []) {
        self.expectations = expectations
        self.hidden = hidden
    }

    /// The records to look up, in a stable order. Hidden records are looked up too.
    var records: [Record] {
        (Array(expectations.keys) + hidden).sorted { ($0.slot, $0.index) < ($1.slot, $1.index) }
    }

    /// Records that a look-up found `record` with `number`, or, if `number` is nil, that it did not find the record.
    mutating func lookedUp(_ record: Record, number: UInt32?) {
        if number != nil, hidden.contains(record) { foreign.insert(record) }
        guard let expectation = expectations[record] else { return }
        judge(record, expectation.verdict(found: number))
    }

    /// Records that the feed contains `record` with `number`, or, if `number` is nil, with a tombstone. Records of
    /// other runs are ignored.
    mutating func met(_ record: Record, number: UInt32?) {
        if hidden.contains(record) { foreign.insert(record) }
        guard let expectation = expectations[record] else { return }
        let isFirst = fed.insert(record).inserted
        // A write with an unknown outcome may take effect while the feed is being read. It then moves its record in the
        // feed.
        if !isFirst, expectation.uncertain == 0 { repeated.insert(record) }
        judge(record, expectation.verdict(found: number))
    }

    /// Returns the findings on all records. Call it after the feed has been read to its end.
    mutating func finish() -> Findings {
        for (record, expectation) in expectations where expectation.mustExist && !fed.contains(record) {
            missing.insert(record)
        }
        return Findings(
            missing: missing.count, stale: stale.count, repeated: repeated.count, foreign: foreign.count,
            checked: expectations.count)
    }

    private mutating func judge(_ record: Record, _ verdict: RecordLedger.Verdict) {
        switch verdict {
        case .good: break
        case .missing: missing.insert(record)
        case .stale: stale.insert(record)
        }
    }
}

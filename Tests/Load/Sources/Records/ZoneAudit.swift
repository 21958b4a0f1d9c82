/// The book-keeping of a verification of one zone: what every record of the load should look like there, and what
/// the lookups and the change feed showed. A record is counted once, however often it was found wanting.
struct ZoneAudit: Sendable {
    typealias Record = LoadNames.Record

    /// What was found wrong.
    struct Findings: Equatable, Sendable {
        /// Acknowledged records that a lookup or the feed does not have.
        var missing = 0
        /// Records whose number is not that of the last acknowledged write.
        var stale = 0
        /// Records that the feed has more than once.
        var repeated = 0
        /// Records that were checked.
        var checked = 0

        static func += (left: inout Findings, right: Findings) {
            left.missing += right.missing
            left.stale += right.stale
            left.repeated += right.repeated
            left.checked += right.checked
        }
    }

    private let expectations: [Record: RecordLedger.Expectation]
    private var missing: Set<Record> = []
    private var stale: Set<Record> = []
    private var repeated: Set<Record> = []
    private var fed: Set<Record> = []

    /// An audit of the records that have an expectation.
    init(expectations: [Record: RecordLedger.Expectation]) { self.expectations = expectations }

    /// The records to look up, in a steady order.
    var records: [Record] { expectations.keys.sorted { ($0.slot, $0.index) < ($1.slot, $1.index) } }

    /// A lookup found `record` with `number`, or did not find it.
    mutating func lookedUp(_ record: Record, number: UInt32?) {
        guard let expectation = expectations[record] else { return }
        judge(record, expectation.verdict(found: number))
    }

    /// The feed has `record` with `number`; nil is a tombstone. Records of others are passed over.
    mutating func met(_ record: Record, number: UInt32?) {
        guard let expectation = expectations[record] else { return }
        let isFirst = fed.insert(record).inserted
        // A write of unknown outcome may arrive while the feed is read, and moves its record.
        if !isFirst, expectation.uncertain == 0 { repeated.insert(record) }
        judge(record, expectation.verdict(found: number))
    }

    /// The feed has been walked to its end: the verdict on all records.
    mutating func finish() -> Findings {
        for (record, expectation) in expectations where expectation.mustExist && !fed.contains(record) {
            missing.insert(record)
        }
        return Findings(
            missing: missing.count, stale: stale.count, repeated: repeated.count, checked: expectations.count)
    }

    private mutating func judge(_ record: Record, _ verdict: RecordLedger.Verdict) {
        switch verdict {
        case .good: break
        case .missing: missing.insert(record)
        case .stale: stale.insert(record)
        }
    }
}

/// What one slot of a load knows about the records it owns.
///
/// A slot has one request under way at a time and owns its record names, so "the last acknowledged write of a
/// record" has one meaning. Every write carries the slot's next number, so that a write applied a second time, after
/// a later one, shows as a number that is too old. A record whose last write has an unknown outcome is not
/// written or read again: the write may still arrive, and both numbers are right.
struct RecordLedger: Sendable {
    /// One write under way: the record and the number it shall have.
    struct Write: Equatable, Sendable {
        var record: Int
        var number: UInt32
    }

    /// What a record may look like when it is read back.
    struct Expectation: Equatable, Sendable {
        /// The number of the last acknowledged write; 0 if there was none.
        var acknowledged: UInt32
        /// The number of a later write whose outcome is unknown; 0 if there is none.
        var uncertain: UInt32

        /// Whether the record must be there.
        var mustExist: Bool { acknowledged > 0 }

        /// The judgement of a record that was found with `number`, or not at all.
        func verdict(found number: UInt32?) -> Verdict {
            guard let number else { return mustExist ? .missing : .good }
            if number == acknowledged || (uncertain > 0 && number == uncertain) { return .good }
            return .stale
        }
    }

    /// The judgement of one record that was read back.
    enum Verdict: Equatable, Sendable {
        /// It has a number it may have.
        case good
        /// It was acknowledged and is not there.
        case missing
        /// It has a number that an acknowledged write has replaced, or that was never acknowledged.
        case stale
    }

    private var zones: [UInt32] = []
    private var expectations: [Expectation] = []
    /// Per zone, the records whose content is known.
    private var settled: [[Int32]]
    private var lastNumber: UInt32 = 0

    /// An empty ledger over `zoneCount` zones.
    init(zoneCount: Int) { settled = Array(repeating: [], count: zoneCount) }

    /// How many records there are, written or not.
    var count: Int { expectations.count }

    /// The zone of `record`.
    func zone(of record: Int) -> Int { Int(zones[record]) }

    /// What `record` may look like.
    func expectation(of record: Int) -> Expectation { expectations[record] }

    /// How many records of `zone` can be read or written again.
    func settledCount(inZone zone: Int) -> Int { settled[zone].count }

    /// The zone of record number `offset` (which wraps), if any of its records can be read or written again.
    func zoneWithRecords(near offset: Int) -> Int? {
        guard count > 0 else { return nil }
        let zone = zone(of: offset % count)
        return settled[zone].isEmpty ? nil : zone
    }

    /// A write that makes a new record in `zone`.
    mutating func beginNew(inZone zone: Int) -> Write {
        let record = expectations.count
        zones.append(UInt32(zone))
        expectations.append(Expectation(acknowledged: 0, uncertain: 0))
        return begin(record)
    }

    /// Writes to `count` different settled records of `zone`, beginning with the one at `offset` (which wraps).
    mutating func beginAgain(inZone zone: Int, offset: Int, count: Int) -> [Write] {
        pick(inZone: zone, offset: offset, count: count).map { record in begin(record) }
    }

    /// `count` different settled records of `zone`, beginning with the one at `offset` (which wraps).
    func pick(inZone zone: Int, offset: Int, count: Int) -> [Int] {
        let candidates = settled[zone]
        return (0..<min(count, candidates.count)).map { Int(candidates[(offset + $0) % candidates.count]) }
    }

    /// The write was acknowledged.
    mutating func acknowledge(_ write: Write) {
        if !expectations[write.record].mustExist { settled[zone(of: write.record)].append(Int32(write.record)) }
        expectations[write.record] = Expectation(acknowledged: write.number, uncertain: 0)
    }

    /// The write may or may not have happened: nobody knows. Linear in the records of the zone, and rare.
    mutating func lose(_ write: Write) {
        expectations[write.record].uncertain = write.number
        settled[zone(of: write.record)].removeAll { $0 == Int32(write.record) }
    }

    private mutating func begin(_ record: Int) -> Write {
        lastNumber += 1
        return Write(record: record, number: lastNumber)
    }
}

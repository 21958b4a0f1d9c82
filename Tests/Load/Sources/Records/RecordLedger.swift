/// The expected states of the records that belong to one slot of a load.
///
/// A slot has at most one request in progress and owns its record names, so the last acknowledged write of a record is
/// well-defined. Every write contains the slot's next number. If a write is applied again after a later one, its old
/// number reveals this. If the outcome of a record's last write is unknown, the record is not written or read again,
/// because the write may still take effect, and both numbers are valid.
struct RecordLedger: Sendable {
    /// A write in progress: the record and its new number.
    struct Write: Equatable, Sendable {
        var record: Int
        var number: UInt32
    }

    /// The valid states of a record.
    struct Expectation: Equatable, Sendable {
        /// The number of the last acknowledged write; 0 if there was none.
        var acknowledged: UInt32
        /// The number of a later write with an unknown outcome; 0 if there is none.
        var uncertain: UInt32

        /// Whether the record must exist.
        var mustExist: Bool { acknowledged > 0 }

        /// Returns the verdict on a record that has `number`, or that does not exist if `number` is nil.
        func verdict(found number: UInt32?) -> Verdict {
            guard let number else { return mustExist ? .missing : .good }
            if number == acknowledged || (uncertain > 0 && number == uncertain) { return .good }
            return .stale
        }
    }

    /// The verdict on a record.
    enum Verdict: Equatable, Sendable {
        /// It has a valid number.
        case good
        /// It was acknowledged but does not exist.
        case missing
        /// It has a number that an acknowledged write replaced, or that was never acknowledged.
        case stale
    }

    private var places: [UInt32] = []
    private var expectations: [Expectation] = []
    /// The records whose content is known, by place.
    private var settled: [[Int32]]
    private var lastNumber: UInt32 = 0

    /// Creates an empty ledger for `placeCount` places.
    init(placeCount: Int) { settled = Array(repeating: [], count: placeCount) }

    /// The number of records, written or not.
    var count: Int { expectations.count }

    /// Returns the place of `record`.
    func place(of record: Int) -> Int { Int(places[record]) }

    /// Returns the valid states of `record`.
    func expectation(of record: Int) -> Expectation { expectations[record] }

    /// Returns the number of records of `place` that can be read or written again.
    func settledCount(inPlace place: Int) -> Int { settled[place].count }

    /// Returns the place of the record at `offset` (which wraps), or nil if none of the place's records can be read or
    /// written again.
    func placeWithRecords(near offset: Int) -> Int? {
        guard count > 0 else { return nil }
        let place = place(of: offset % count)
        return settled[place].isEmpty ? nil : place
    }

    /// Returns a write that creates a record in `place`.
    mutating func beginNew(inPlace place: Int) -> Write {
        let record = expectations.count
        places.append(UInt32(place))
        expectations.append(Expectation(acknowledged: 0, uncertain: 0))
        return begin(record)
    }

    /// Returns writes to `count` different settled records of `place`, from the one at `offset` (which wraps).
    mutating func beginAgain(inPlace place: Int, offset: Int, count: Int) -> [Write] {
        pick(inPlace: place, offset: offset, count: count).map { record in begin(record) }
    }

    /// Returns `count` different settled records of `place`, from the one at `offset` (which wraps).
    func pick(inPlace place: Int, offset: Int, count: Int) -> [Int] {
        let candidates = settled[place]
        return (0..<min(count, candidates.count)).map { Int(candidates[(offset + $0) % candidates.count]) }
    }

    /// Records that a write was acknowledged.
    mutating func acknowledge(_ write: Write) {
        if !expectations[write.record].mustExist { settled[place(of: write.record)].append(Int32(write.record)) }
        expectations[write.record] = Expectation(acknowledged: write.number, uncertain: 0)
    }

    /// Records that the outcome of a write is unknown. Searches the records of the place, but is rarely called.
    mutating func lose(_ write: Write) {
        expectations[write.record].uncertain = write.number
        settled[place(of: write.record)].removeAll { $0 == Int32(write.record) }
    }

    private mutating func begin(_ record: Int) -> Write {
        lastNumber += 1
        return Write(record: record, number: lastNumber)
    }
}

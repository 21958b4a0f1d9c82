import ServiceMessages

/// What one slot of a load of assets knows about the records it owns.
///
/// A record whose last save or deletion has an unknown outcome is not touched again: both states are right.
struct AssetLedger: Sendable {
    /// What a record may hold when it is read back. Nil is a record that is not there.
    struct Expectation: Equatable, Sendable {
        /// After the last acknowledged operation.
        var acknowledged: AssetChecksum?
        /// After a later one whose outcome is unknown.
        var uncertain: AssetChecksum??

        /// The judgement of a record that was found to hold `checksum`, or not at all.
        func verdict(found checksum: AssetChecksum?) -> Verdict {
            if checksum == acknowledged { return .good }
            if let uncertain, checksum == uncertain { return .good }
            return checksum == nil ? .missing : .wrong
        }
    }

    /// The judgement of one record.
    enum Verdict: Equatable, Sendable {
        /// It holds what it may hold.
        case good
        /// It should be there.
        case missing
        /// It holds something else, or should not be there.
        case wrong
    }

    private var expectations: [Expectation] = []
    /// Records that are there, and can be read or written again.
    private var live: [Int] = []

    /// No records.
    init() {}

    /// How many records there are, there or not.
    var count: Int { expectations.count }

    /// What `record` may hold.
    func expectation(of record: Int) -> Expectation { expectations[record] }

    /// A record that does not exist yet.
    mutating func beginNew() -> Int {
        expectations.append(Expectation())
        return expectations.count - 1
    }

    /// One of the records that can be read or written again: number `offset`, which wraps.
    func pick(_ offset: Int) -> Int? { live.isEmpty ? nil : live[offset % live.count] }

    /// The record holds `checksum` now; nil deleted it.
    mutating func acknowledge(_ record: Int, _ checksum: AssetChecksum?) {
        let wasThere = expectations[record].acknowledged != nil
        expectations[record] = Expectation(acknowledged: checksum)
        if checksum == nil { retire(record) } else if !wasThere { live.append(record) }
    }

    /// The record may or may not hold `checksum` now; nil would have deleted it.
    mutating func lose(_ record: Int, _ checksum: AssetChecksum?) {
        expectations[record].uncertain = .some(checksum)
        retire(record)
    }

    private mutating func retire(_ record: Int) {
        if let position = live.firstIndex(of: record) { live.remove(at: position) }
    }
}

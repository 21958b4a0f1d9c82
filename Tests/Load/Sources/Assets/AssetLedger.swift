import ServiceMessages

/// The expected states of the records that belong to one slot of an asset load.
///
/// If the outcome of a record's last save or deletion is unknown, the record is not used again, because the states
/// before and after the operation are both valid.
struct AssetLedger: Sendable {
    /// The valid contents of a record; nil for a record that does not exist.
    struct Expectation: Equatable, Sendable {
        /// The content after the last acknowledged operation.
        var acknowledged: AssetChecksum?
        /// The content after a later operation with an unknown outcome.
        var uncertain: AssetChecksum??

        /// Returns the verdict on a record whose content has `checksum`, or that does not exist if `checksum` is nil.
        func verdict(found checksum: AssetChecksum?) -> Verdict {
            if checksum == acknowledged { return .good }
            if let uncertain, checksum == uncertain { return .good }
            return checksum == nil ? .missing : .wrong
        }
    }

    /// The verdict on a record.
    enum Verdict: Equatable, Sendable {
        /// Its content is valid.
        case good
        /// It does not exist but should.
        case missing
        /// Its content is not valid, or it should not exist.
        case wrong
    }

    private var expectations: [Expectation] = []
    /// The existing records that can be read or written again.
    private var live: [Int] = []

    /// Creates an empty ledger.
    init() {}

    /// The number of records, including deleted ones.
    var count: Int { expectations.count }

    /// Returns the valid contents of `record`.
    func expectation(of record: Int) -> Expectation { expectations[record] }

    /// Returns a record that does not exist yet.
    mutating func beginNew() -> Int {
        expectations.append(Expectation())
        return expectations.count - 1
    }

    /// Returns the record at `offset` (which wraps) among those that can be read or written again; nil if there are
    /// none.
    func pick(_ offset: Int) -> Int? { live.isEmpty ? nil : live[offset % live.count] }

    /// Records that the content of a record is now `checksum`, or, if `checksum` is nil, that the record was deleted.
    mutating func acknowledge(_ record: Int, _ checksum: AssetChecksum?) {
        let wasThere = expectations[record].acknowledged != nil
        expectations[record] = Expectation(acknowledged: checksum)
        if checksum == nil { retire(record) } else if !wasThere { live.append(record) }
    }

    /// Records that the content of a record may now be `checksum`, or, if `checksum` is nil, that the record may have
    /// been deleted.
    mutating func lose(_ record: Int, _ checksum: AssetChecksum?) {
        expectations[record].uncertain = .some(checksum)
        retire(record)
    }

    private mutating func retire(_ record: Int) {
        if let position = live.firstIndex(of: record) { live.remove(at: position) }
    }
}

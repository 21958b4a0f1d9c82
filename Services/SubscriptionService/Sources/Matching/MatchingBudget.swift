/// How much matching one zone's changes may take at a time.
///
/// The unit is a byte of a predicate that is compared with a record of up to 16 KiB; longer records count in proportion.
enum MatchingBudget {
    /// Beside the changes of other zones: past it a zone's changes wait for a delivery of their own. None of it may wait
    /// for more candidates than were read for all, or for an answer about a user's rights.
    case shared
    /// In a delivery of its own: past it the zone yields to the next one. The first change is matched in any case.
    case alone

    /// The most that a zone's changes may take.
    var work: Int {
        switch self {
        case .shared: 1 << 20
        case .alone: 16 << 20
        }
    }
}

/// What matching a change takes, estimated before it is done.
struct MatchingWork {
    /// In the unit of ``MatchingBudget``.
    var known = 0
    /// Whether there are more candidates than were read, or users whose rights are to be asked for.
    var isOpenEnded = false

    /// Of a predicate that is compared with a record, both in bytes.
    static func comparison(predicateBytes: Int, recordBytes: Int) -> Int {
        (64 + predicateBytes) * (1 + recordBytes / (16 << 10))
    }
}

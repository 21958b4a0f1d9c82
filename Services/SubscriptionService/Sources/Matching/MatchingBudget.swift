/// The amount of matching that one zone's changes may take at a time.
///
/// The unit is one byte of a predicate that is compared with a record of up to 16 KiB. Longer records count in
/// proportion.
enum MatchingBudget {
    /// In a round with other zones. A zone whose changes exceed it is delivered separately. Matching within it never
    /// waits for further pages of subscriptions, or for an answer about a user's rights.
    case shared
    /// In a separate delivery. A zone whose changes exceed it lets the next zone continue. The first change is matched
    /// in any case.
    case alone

    /// The largest amount of work for a zone's changes.
    var work: Int {
        switch self {
        case .shared: 1 << 20
        case .alone: 16 << 20
        }
    }
}

/// The work of matching a change, estimated in advance.
struct MatchingWork {
    /// The known work in the unit of ``MatchingBudget``.
    var known = 0
    /// Whether more subscriptions have to be read, or users' rights have to be checked.
    var isOpenEnded = false

    /// The work of comparing a predicate with a record, from their sizes in bytes.
    static func comparison(predicateBytes: Int, recordBytes: Int) -> Int {
        (64 + predicateBytes) * (1 + recordBytes / (16 << 10))
    }
}

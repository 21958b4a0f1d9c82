/// The amount of matching that is allowed for one zone's changes at a time.
///
/// The unit is one byte of a predicate that is compared with a record of up to 16 KiB. Larger records count in
/// proportion to their size. A notification of a share participant counts as its size in bytes.
enum MatchingBudget {
    /// The budget in a round with other zones. A zone whose changes exceed this budget is delivered separately.
    /// Matching within this budget never waits for further pages of subscriptions, or for an answer about a user's
    /// rights or about the participants of shares.
    case shared
    /// The budget in a separate delivery. Once a zone's changes exceed it, the next zone gets its turn. The first
    /// change is always matched.
    case alone

    /// The maximum amount of work for a zone's changes.
    var work: Int {
        switch self {
        case .shared: 1 << 20
        case .alone: 16 << 20
        }
    }
}

/// The work of matching a change, estimated in advance.
struct MatchingWork {
    /// The work for a page of share participants that is read.
    static let audiencePage = 64 << 10
    /// The work for a share participant whose subscriptions are read.
    static let participant = 512

    /// The known work, in the unit of ``MatchingBudget``.
    var known = 0
    /// Whether more subscriptions or participants have to be read, or users' rights have to be checked.
    var isOpenEnded = false

    /// Returns the work of comparing a predicate with a record, estimated from their sizes in bytes.
    static func comparison(predicateBytes: Int, recordBytes: Int) -> Int {
        (64 + predicateBytes) * (1 + recordBytes / (16 << 10))
    }
}

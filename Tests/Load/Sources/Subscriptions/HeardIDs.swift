/// The ids of the last notifications of a zone incarnation. Repeats are detected by their ids.
struct HeardIDs: Sendable {
    /// Consecutive ids.
    private struct Stretch {
        var ids: Set<String> = []
        /// The highest change number before them.
        var after: Int64 = 0
    }

    /// The minimum number of ids to remember. At most twice as many are stored.
    private let limit: Int
    private var older = Stretch()
    private var newer = Stretch()
    private var last: Int64 = 0

    /// Creates an empty set that keeps the last `limit` ids.
    init(limit: Int = 1000) { self.limit = limit }

    /// Records the id of a notification whose last change has the number `last`.
    ///
    /// - Returns: whether the id is known, or is so old that it may have been forgotten.
    mutating func note(_ id: String, upTo last: Int64) -> Bool {
        let isKnown = newer.ids.contains(id) || older.ids.contains(id)
        if !isKnown {
            if newer.ids.count == limit { (older, newer) = (newer, Stretch(after: self.last)) }
            newer.ids.insert(id)
        }
        self.last = max(self.last, last)
        return isKnown || last <= older.after
    }
}

/// The ids of a zone incarnation's notifications, as many of the last ones as repeats can reasonably be of.
struct HeardIDs: Sendable {
    /// Ids heard one after the other.
    private struct Stretch {
        var ids: Set<String> = []
        /// The highest number of a change heard before them.
        var after: Int64 = 0
    }

    /// So many ids are known for certain, and at most twice as many are kept.
    private let limit: Int
    private var older = Stretch()
    private var newer = Stretch()
    private var last: Int64 = 0

    /// No ids, of which the last `limit` will be known.
    init(limit: Int = 1000) { self.limit = limit }

    /// Notes the id of a notification whose last change has the number `last`.
    ///
    /// - Returns: whether the id was heard before, or may have been, so long ago that nobody knows.
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

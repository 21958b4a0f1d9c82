internal import CloudKitModel
internal import RecordStorage

/// The places on one page of a participant's feed, merged from two lists: the members of the participant's shares, and
/// the records that the participant can no longer see.
struct SharedFeedPage {
    /// An item of the page. `member` is the item's index in the list of members; nil if the participant can no longer
    /// see the record.
    typealias Item = (place: SharedPosition, member: Int?)

    /// The items in the order of the feed. If the page is cut, reading continues after the last item.
    let items: [Item]
    /// Whether more items might follow.
    let isCut: Bool

    /// Merges two ordered lists, each of which contains at most `limit` places.
    ///
    /// - Parameters:
    ///   - isTooLong: whether the list of members was cut because of its size.
    ///   - descends: whether the lists begin with the newest change.
    init(members: [SharedPosition], isTooLong: Bool, gone: [SharedPosition], limit: Int, descends: Bool = false) {
        let (isCutByMembers, isCutByGone) = (isTooLong || members.count >= limit, gone.count >= limit)
        var items: [Item] = members.indices.map { (members[$0], $0) }
        if gone.isEmpty {
            isCut = isCutByMembers || isCutByGone || items.count > limit
            self.items = Array(items.prefix(max(limit, 0)))
            return
        }
        items += gone.map { ($0, nil) }
        let precedes: (SharedPosition, SharedPosition) -> Bool = descends ? { $0 > $1 } : { $0 < $1 }
        items.sort { precedes($0.place, $1.place) }
        // If a list was cut, the places after its last one are unknown, so the page ends there at the latest.
        if isCutByMembers, let last = members.last { items = items.filter { !precedes(last, $0.place) } }
        if isCutByGone, let last = gone.last { items = items.filter { !precedes(last, $0.place) } }
        isCut = isCutByMembers || isCutByGone || items.count > limit
        self.items = Self.withoutRepeats(items.prefix(max(limit, 0)), descends: descends)
    }

    /// Leaves out all but the newest item of each record. A record can be gone from several shares, and be deleted in
    /// another one.
    private static func withoutRepeats(_ items: ArraySlice<Item>, descends: Bool) -> [Item] {
        var names: Set<RecordName> = []
        if descends { return items.filter { names.insert($0.place.name).inserted } }
        return items.reversed().filter { names.insert($0.place.name).inserted }.reversed()
    }
}

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
    /// - Parameter isTooLong: whether the list of members was cut because of its size.
    init(members: [SharedPosition], isTooLong: Bool, gone: [SharedPosition], limit: Int) {
        let (isCutByMembers, isCutByGone) = (isTooLong || members.count >= limit, gone.count >= limit)
        var items: [Item] = members.indices.map { (members[$0], $0) } + gone.map { ($0, nil) }
        items.sort { $0.place < $1.place }
        // If a list was cut, the places after its last one are unknown, so the page ends there at the latest.
        if isCutByMembers, let last = members.last { items = items.filter { $0.place <= last } }
        if isCutByGone, let last = gone.last { items = items.filter { $0.place <= last } }
        isCut = isCutByMembers || isCutByGone || items.count > limit
        let page = items.prefix(max(limit, 0))
        self.items = gone.isEmpty ? Array(page) : Self.withoutRepeats(page)
    }

    /// Leaves out each item that a later one of the same record follows. A record can be gone from several shares, and
    /// be deleted in another one.
    private static func withoutRepeats(_ items: ArraySlice<Item>) -> [Item] {
        var names: Set<RecordName> = []
        return items.reversed().filter { names.insert($0.place.name).inserted }.reversed()
    }
}

internal import Foundation
internal import ServiceMessages
internal import SubscriptionStorage

/// The share participants whom a change concerns, and the part of the change that each of them may see.
struct SharedReach: Sendable {
    /// Users who may see the same part of a change.
    struct View: Sendable {
        /// The users.
        var users: [String]
        /// The changed records that the users may see, with the kinds of change as these users see them. Nil if the
        /// event does not name all of these records. For users who gain or lose access, for example, all records of a
        /// share appear or disappear.
        let records: [ChangedRecord]?
        /// Whether the users lose access because the change deletes the zone. Merged changes can delete a zone to which
        /// some users had lost access before.
        let seesDeletion: Bool
    }

    /// The users, grouped by what they may see.
    private(set) var views: [View] = []

    /// All users.
    var users: [String] { views.flatMap(\.users) }

    private struct ViewKey: Hashable {
        var shares: Set<Int64> = []
        var isChanging = false
        var seesDeletion = false
    }

    /// Creates the reach of a change among the participants `rows`. Rows of shares that the change does not touch are
    /// ignored.
    init(of change: ZoneChange, among rows: some Sequence<AudiencePage.Row>) {
        let range = change.fromSeq...change.toSeq
        let (isAll, shares) = (change.touchesAllShares, change.touchedShares)
        var keys: [String: ViewKey] = [:]
        for row in rows where isAll || shares.contains(row.share) {
            guard let hearing = row.member.hearing(of: range) else { continue }
            keys[row.member.user, default: ViewKey()].shares.insert(row.share)
            if isAll || hearing == .changes { keys[row.member.user]?.isChanging = true }
            if change.event.isDeletion, row.member.hearing(of: range.upperBound...range.upperBound) != nil {
                keys[row.member.user]?.seesDeletion = true
            }
        }
        guard !keys.isEmpty else { return }
        let unlisted = change.unlistedShares
        var places: [ViewKey: Int] = [:]
        for (user, var key) in keys {
            if !unlisted.isDisjoint(with: key.shares) { key.isChanging = true }
            if key.isChanging { key.shares = [] }
            if let place = places[key] {
                views[place].users.append(user)
                continue
            }
            let records = key.isChanging ? nil : change.records(visibleIn: key.shares)
            // A change without records that these users may see does not concern them, unless it deletes the zone.
            if records?.isEmpty == true, !key.seesDeletion { continue }
            places[key] = views.count
            views.append(View(users: [user], records: records, seesDeletion: key.seesDeletion))
        }
    }
}

extension ZoneChange {
    /// Whether the change concerns share participants.
    var touchesShares: Bool { event.shares != nil || records?.contains { $0.shares != nil } == true }

    /// Whether the change concerns the participants in every share of the zone.
    var touchesAllShares: Bool { event.shares?.isAll == true }

    /// The shares whose participants the change concerns, unless it ``touchesAllShares``.
    var touchedShares: Set<Int64> {
        var shares = Set(event.shares?.unlisted ?? [])
        if let zone = event.shares?.zone { shares.insert(zone) }
        for case let touched? in records?.lazy.map(\.shares) ?? [] {
            if let before = touched.before { shares.insert(before) }
            if let after = touched.after { shares.insert(after) }
        }
        return shares
    }

    /// The shares in which records that the event does not name have changed.
    fileprivate var unlistedShares: Set<Int64> {
        var shares = Set(event.shares?.unlisted ?? [])
        for case let moved? in records?.lazy.map(\.shares) ?? [] where moved.movesBelow {
            if let before = moved.before { shares.insert(before) }
            if let after = moved.after { shares.insert(after) }
        }
        return shares
    }

    /// Returns the changed records that members of `shares` may see, with the kinds of change as these members see
    /// them. A record that enters their shares is reported as created, and a record that leaves them is reported as
    /// deleted.
    fileprivate func records(visibleIn shares: Set<Int64>) -> [ChangedRecord]? {
        let seesAll = event.shares?.zone.map(shares.contains) ?? false
        return records?.compactMap { record in
            if seesAll { return record }
            let wasVisible = record.shares?.before.map(shares.contains) ?? false
            let isVisible = record.shares?.after.map(shares.contains) ?? false
            guard wasVisible || isVisible else { return nil }
            var seen = record
            if !wasVisible { seen.kind = .created }
            if !isVisible { seen.kind = .deleted }
            return seen
        }
    }
}

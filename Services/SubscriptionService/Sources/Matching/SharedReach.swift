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
    }

    /// The users, grouped by what they may see.
    private(set) var views: [View] = []

    /// The number of users.
    var count: Int { views.reduce(0) { $0 + $1.users.count } }

    private struct ViewKey: Hashable {
        var shares: [Int64] = []
        var isChanging = false
    }

    /// Creates the reach of a change from the audiences of the shares that the change touches. The audience of all
    /// shares has the key nil.
    init(of change: ZoneChange, _ audiences: [Int64?: Audience]) {
        let range = change.fromSeq...change.toSeq
        var keys: [String: ViewKey] = [:]
        for (share, audience) in audiences.sorted(by: { $0.key ?? 0 < $1.key ?? 0 }) {
            for member in audience.members {
                guard let hearing = member.hearing(of: range) else { continue }
                if let share { keys[member.user, default: ViewKey()].shares.append(share) }
                if share == nil || hearing == .changes { keys[member.user, default: ViewKey()].isChanging = true }
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
            let records = key.isChanging ? nil : change.records(visibleIn: Set(key.shares))
            // A change without records that these users may see does not concern them, unless it deletes the zone.
            if records?.isEmpty == true, !change.event.isDeletion { continue }
            places[key] = views.count
            views.append(View(users: [user], records: records))
        }
    }
}

extension ZoneChange {
    /// Whether the change concerns share participants.
    var touchesShares: Bool { event.shares != nil || records?.contains { $0.shares != nil } == true }

    /// The cache keys of the audiences whom the change concerns.
    var audienceKeys: Set<AudienceCache.Key> {
        guard touchesShares else { return [] }
        if event.shares?.isAll == true {
            return [AudienceCache.Key(incarnation: incarnation, share: nil, version: .change(toSeq))]
        }
        var shares = Set(event.shares?.unlisted ?? [])
        if let zone = event.shares?.zone { shares.insert(zone) }
        for record in records ?? [] {
            if let before = record.shares?.before { shares.insert(before) }
            if let after = record.shares?.after { shares.insert(after) }
        }
        let versions = event.shares?.versions ?? [:]
        return Set(
            shares.map { share in
                AudienceCache.Key(
                    incarnation: incarnation, share: share,
                    version: versions[share].map { .audience($0) } ?? .change(toSeq))
            })
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

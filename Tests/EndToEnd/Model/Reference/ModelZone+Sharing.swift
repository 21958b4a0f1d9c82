/// Which records belong to which share (semantics 5.4 and 11.4). The model stores no membership: it follows the parents
/// whenever it needs to know.
extension ModelZone {
    /// Records and shares, from which memberships follow.
    struct Shape {
        var records: [String: ModelRecord]
        var shares: [String: ModelShare]

        /// The name of the share to which each record belongs, without the share of a whole zone. A record in a cycle
        /// of parents belongs to no share.
        func membership() -> [String: String] {
            var found: [String: String?] = [:]
            for (name, share) in shares where share.root != nil {
                found[name] = name
                if let root = share.root { found[root] = name }
            }
            for name in records.keys {
                var (path, above): ([String], String?) = ([], name)
                while let next = above, found[next] == nil, let record = records[next] {
                    path.append(next)
                    above = path.contains(record.parent ?? "") ? nil : record.parent
                }
                let share = above.flatMap { found[$0] } ?? nil
                for name in path { found[name] = .some(share) }
            }
            return found.compactMapValues { $0 }.filter { records[$0.key] != nil }
        }

        /// The names of the records below a record.
        func below(_ name: String) -> Set<String> {
            var (all, next): (Set<String>, Set<String>) = ([], [name])
            while !next.isEmpty {
                next = Set(records.values.filter { $0.parent.map(next.contains) ?? false }.map(\.name))
                    .subtracting(all)
                all.formUnion(next)
            }
            return all.subtracting([name])
        }
    }

    /// The present records and shares.
    var shape: Shape { Shape(records: records, shares: shares) }

    /// The live share of the whole zone; nil if there is none.
    var zoneShare: ModelShare? { shares[ModelShare.zoneShareName] }

    /// The shares to which a user has access, with the user's permission.
    func access(of user: String) -> [String: ModelShare.Permission] {
        shares.mapValues { $0.permission(of: user) }.filter { $0.value != .none }
    }

    /// The permission of a user for a record with this membership.
    func permission(of user: String, in share: String?) -> ModelShare.Permission {
        if let zoneShare { return zoneShare.permission(of: user) }
        return share.flatMap { shares[$0] }?.permission(of: user) ?? .none
    }

    /// The records that a user sees, as the user sees them.
    ///
    /// - Parameter reader: a participant; nil for the owner.
    /// - Returns: nil if the user may not see the zone.
    func view(of reader: String?) -> [String: ModelRecord]? {
        guard isThere else { return nil }
        guard let reader else { return records.mapValues { shown($0, to: nil) } }
        guard !access(of: reader).isEmpty else { return nil }
        let membership = shape.membership()
        return records.filter { permission(of: reader, in: membership[$0.key]) != .none }
            .mapValues { shown($0, to: reader) }
    }

    /// Returns a record as a user sees it.
    ///
    /// - Parameter reader: a participant; nil for the owner. A participant does not see the parent of a root.
    func shown(_ record: ModelRecord, to reader: String?) -> ModelRecord {
        var record = record
        if let share = shares[record.name] { record.fields = share.fields(for: reader) }
        guard reader != nil else { return record }
        if isRoot(record.name) { record.parent = nil }
        return record.withoutStamps
    }

    /// Whether a record is the root of a live share.
    func isRoot(_ name: String) -> Bool { shares.values.contains { $0.root == name } }
}

/// What happened to the access of one user to a zone.
struct ModelAccess: Equatable, Sendable {
    /// A share, by its name and by the change that began it.
    struct Key: Hashable, Sendable {
        let name: String
        let begun: Int
    }

    /// The shares to which the user has access.
    private(set) var held: Set<Key> = []
    /// The number of times that the user gained or lost access to a share.
    private(set) var turns = 0
    private var former: Set<Key> = []
    /// Whether the user saw the whole zone when the user last saw something; nil if that never happened.
    private var sawWhole: Bool?
    /// The number of events that expire the user's tokens: an access that was lost and gained again, and the change
    /// between a share of the whole zone and shares of records.
    private(set) var expiries = 0
    /// The number of requests that changed something that the user saw before or afterwards.
    private(set) var news = 0

    /// Allows for an access that the user may have gained and lost without the model knowing it.
    mutating func doubt(_ share: ModelShare, _ name: String) {
        former.insert(Key(name: name, begun: share.begun))
        (turns, news) = (turns + 1, news + 1)
    }

    /// Updates the access after a request.
    mutating func note(_ present: [String: ModelShare], hasNews: Bool) {
        let now = Set(present.map { Key(name: $0.key, begun: $0.value.begun) })
        if !now.subtracting(held).isDisjoint(with: former) { expiries += 1 }
        former.formUnion(held.subtracting(now))
        if !present.isEmpty {
            let seesWhole = present[ModelShare.zoneShareName] != nil
            if let sawWhole, sawWhole != seesWhole { expiries += 1 }
            sawWhole = seesWhole
        }
        if now != held { turns += 1 }
        if hasNews || now != held { news += 1 }
        held = now
    }
}

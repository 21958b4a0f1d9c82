package import CloudKitModel

/// What a transaction has read about shares.
package struct SharingKnowledge: Sendable {
    /// The kind of shares in each locked zone.
    package var zones: [ZoneRow: ZoneSharing]
    /// The share of each record that was looked up as a share or as a root.
    package private(set) var shares: [RecordKey: ShareTable.Found] = [:]
    /// The shares as they were read for users who change only their own rows.
    package private(set) var visits: [ShareVisitor: ShareTable.Found] = [:]
    /// The records below those in ``walked``.
    package private(set) var below: [RecordKey: MembershipTable.Node] = [:]
    /// The records whose descendants have been read. Records with too many descendants are also in ``tooLarge``.
    package private(set) var walked: Set<RecordKey> = []
    /// The records that have more descendants than one request can move.
    package private(set) var tooLarge: Set<RecordKey> = []
    /// The records that were looked up and do not exist.
    package private(set) var absent: Set<RecordKey> = []
    /// The records whose parents were looked up, and their ancestors.
    package private(set) var ancestry = Ancestry()
    /// The moves that a background job completes in each locked zone.
    package var moves: [ZoneRow: ShareMoves] = [:]
    /// The roots of all live shares, for each zone for which they were looked up.
    package private(set) var roots: [ZoneRow: [RecordName]] = [:]
    /// The access of the users who write to other users' zones. Users without access are left out.
    package private(set) var accesses: [ShareAccessTable.Writer: ShareAccess] = [:]

    /// Creates the knowledge of a transaction that has read nothing about shares.
    package init(zones: [ZoneRow: ZoneSharing] = [:]) { self.zones = zones }

    /// Adds accesses that were found.
    package mutating func read(accesses found: [ShareAccessTable.Writer: ShareAccess]) { accesses.merge(found) { $1 } }

    /// Adds shares that were found.
    package mutating func read(shares found: [RecordKey: ShareTable.Found]) { shares.merge(found) { $1 } }

    /// Adds shares that were found for visitors.
    package mutating func read(visits found: [ShareVisitor: ShareTable.Found]) { visits.merge(found) { $1 } }

    /// Adds the records that were found below `keys`, all of which are in one zone. If more than `limit` were found,
    /// `keys` are added to ``tooLarge`` instead.
    package mutating func read(below keys: [RecordKey], _ found: [MembershipTable.Node], limit: Int) {
        guard let zone = keys.first?.zone else { return }
        walked.formUnion(keys)
        if found.count > limit { return tooLarge.formUnion(keys) }
        for node in found { below[RecordKey(zone: zone, name: node.name)] = node }
    }

    /// Adds to ``absent`` those of `keys` that a read did not find.
    package mutating func read(_ keys: [RecordKey], exists: (RecordKey) -> Bool) {
        for key in keys where !exists(key) { absent.insert(key) }
    }

    /// Adds the records that were found at and above `keys`.
    package mutating func read(ancestors found: [RecordKey: Ancestry.Ancestor], above keys: [RecordKey]) {
        ancestry.read(found, above: keys)
    }

    /// Adds the roots of the live shares of `zone`.
    package mutating func read(roots found: [RecordName], of zone: ZoneRow) { roots[zone] = found }
}

internal import PostgresClient
package import RecordStorage

/// The changes to shares that a request or a batch writes in addition to the records.
package struct ShareWrites: Sendable {
    /// The zones whose shares change.
    package private(set) var zones: Set<ZoneRow> = []
    /// The shares that are created or changed.
    package var changes: [ShareTable.Change] = []
    /// The shares that end, each with the number of the change that ends it.
    package var ends: [(zone: ZoneRow, share: ShareID, seq: Int64)] = []
    /// The records that move into a share, between shares or out of a share, and are not otherwise written.
    package var moves: [MembershipTable.Move] = []
    /// The records that leave a share.
    package var departures: [MembershipTable.Departure] = []
    /// The records whose descendants a background job moves into shares, between shares or out of shares.
    package var deferred: [(key: RecordKey, moves: ShareMoves)] = []
    /// The new links of records that are not shared.
    package var links: [(key: RecordKey, link: String)] = []

    /// Creates an empty list.
    package init() {}

    /// Whether nothing is written.
    package var isEmpty: Bool {
        changes.isEmpty && ends.isEmpty && moves.isEmpty && departures.isEmpty && deferred.isEmpty
            && links.isEmpty
    }

    /// Adds the changes that a request makes in `zone`.
    mutating func add(_ other: ShareWrites, in zone: ZoneRow) {
        guard !other.isEmpty else { return }
        if !(other.changes.isEmpty && other.ends.isEmpty && other.moves.isEmpty && other.deferred.isEmpty) {
            zones.insert(zone)
        }
        changes += other.changes
        ends += other.ends
        moves += other.moves
        departures += other.departures
        deferred += other.deferred
        links += other.links
    }

    /// Returns the statements for the zones of `environment`.
    ///
    /// - Parameter isInside: returns whether a zone belongs to the environment.
    func statements(in environment: EnvironmentRow, _ isInside: (ZoneRow) -> Bool) -> [PostgresCall] {
        guard !isEmpty else { return [] }
        let (shares, memberships) = (ShareTable(environment), MembershipTable(environment))
        let links = links.filter { isInside($0.key.zone) }
        let zones = zones.filter(isInside)
        return shares.write(changes.filter { isInside($0.zone) }) + shares.end(ends.filter { isInside($0.zone) })
            + memberships.move(moves.filter { isInside($0.zone) })
            + memberships.depart(departures.filter { isInside($0.key.zone) })
            + ShareMoveTable(environment).begin(deferred.filter { isInside($0.key.zone) })
            + shares.link(links)
            + (zones.isEmpty ? [] : [shares.countShares(of: zones.sorted())])
    }
}

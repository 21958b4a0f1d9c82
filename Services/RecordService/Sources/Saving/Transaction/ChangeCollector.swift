internal import RecordStorage
internal import ServiceMessages

/// Collects the changes of a transaction for the change log and the events. Consecutive changes to a zone by the same
/// user and client form a run. Each run gets its own rows and events, which name the client and the user. The change
/// numbers of a zone's runs are contiguous.
struct ChangeCollector {
    private struct Run {
        let zone: ZoneEntry
        let client: String?
        let user: String
        var trace: TraceParent?
        var changes: [ChangedRecord]
    }

    private var runs: [Run] = []
    private var lastRunOfZone: [ZoneRow: Int] = [:]

    /// The number of changes.
    private(set) var count = 0

    /// Adds the changes of one request, in order.
    mutating func append(_ changes: [ChangedRecord], of request: WriteRequest) {
        guard !changes.isEmpty else { return }
        count += changes.count
        let zone = request.zone.row
        if let index = lastRunOfZone[zone], runs[index].client == request.context.client,
            runs[index].user == request.context.user
        {
            runs[index].changes += changes
            runs[index].trace = runs[index].trace ?? request.context.trace
        } else {
            lastRunOfZone[zone] = runs.count
            runs.append(
                Run(
                    zone: request.zone, client: request.context.client, user: request.context.user,
                    trace: request.context.trace, changes: changes))
        }
    }

    /// The zones that changed.
    var zones: Set<ZoneRow> { Set(lastRunOfZone.keys) }

    /// The shares to which the changed records belonged before the changes or belong now, without duplicates.
    var shares: [(zone: ZoneRow, share: ShareID)] {
        var shares: [ZoneRow: Set<ShareID>] = [:]
        for run in runs {
            for case let touched? in run.changes.lazy.map(\.shares) {
                for share in [touched.before, touched.after] {
                    if let share { shares[run.zone.row, default: []].insert(ShareID(share)) }
                }
            }
        }
        return shares.flatMap { zone, shares in shares.map { (zone, $0) } }
    }

    /// Returns the rows for the change log.
    func rows(at milliseconds: Int64) -> [ChangeLogRow] {
        runs.flatMap { run in
            ChangeLogRow.rows(
                of: run.changes, in: run.zone.row, incarnation: run.zone.incarnation, client: run.client,
                user: run.user,
                at: milliseconds)
        }
    }

    /// Returns the events for `rows`, in order.
    ///
    /// - Parameters:
    ///   - audiences: the versions of the audiences of ``shares``.
    ///   - rights: returns the rights of an environment; see ``ChangeEvent/rights``.
    func events(
        _ rows: [ChangeLogRow], xid: UInt64, tokens: ZoneTokenIssuer,
        audiences: [ZoneRow: AudienceTable.Versions] = [:], rights: (EnvironmentRow) -> Int64? = { _ in nil }
    ) -> [ChangeEvent] {
        var events: [ChangeEvent] = []
        var rest = rows[...]
        for run in runs {
            let drops = run.changes.filter { !$0.droppedAssets.isEmpty }.map(\.seq)
            // A run has one row or several consecutive rows.
            while let row = rest.popFirst() {
                events.append(
                    ChangeEvent(
                        address: run.zone.address, incarnation: row.incarnation, fromSeq: row.fromSeq,
                        toSeq: row.toSeq, xid: xid, client: row.client, user: row.user, at: row.at,
                        syncToken: tokens.token(row: row.zone, address: run.zone.address, reached: row.toSeq),
                        records: row.records, dropsAssets: drops.contains { $0 >= row.fromSeq && $0 <= row.toSeq },
                        rights: rights(run.zone.database.environment),
                        shares: audiences[row.zone].flatMap { versions in
                            let changes = run.changes.filter { $0.seq >= row.fromSeq && $0.seq <= row.toSeq }
                            return ChangeEvent.Shares(of: changes, versions)
                        }, trace: run.trace))
                if row.toSeq == run.changes.last?.seq { break }
            }
        }
        return events
    }
}

extension ChangeEvent.Shares {
    /// Creates an event's information about the shares that `changes` touch.
    fileprivate init?(of changes: [ChangedRecord], _ known: AudienceTable.Versions) {
        var versions: [Int64: Int64] = [:]
        let touched = changes.lazy.compactMap(\.shares).flatMap { [$0.before, $0.after] }
        for share in touched.compactMap(\.self) + [known.zoneShare?.rawValue].compactMap(\.self) {
            guard versions.count < Self.maxVersions else { break }
            versions[share] = known.versions[ShareID(share)]
        }
        self.init(versions: versions, zone: known.zoneShare?.rawValue)
    }
}

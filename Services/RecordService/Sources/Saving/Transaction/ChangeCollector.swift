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

    /// The number of operations that changed something.
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
    /// - Parameter rights: returns the rights of an environment; see ``ChangeEvent/rights``.
    func events(
        _ rows: [ChangeLogRow], xid: UInt64, tokens: ZoneTokenIssuer,
        rights: (EnvironmentRow) -> Int64? = { _ in nil }
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
                        rights: rights(run.zone.database.environment), trace: run.trace))
                if row.toSeq == run.changes.last?.seq { break }
            }
        }
        return events
    }
}

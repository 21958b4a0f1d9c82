internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

extension ChangesLogOperation {
    /// Returns the changes to one zone after change number `seq`. The row of a deleted zone is kept at least as long as
    /// its log.
    func zone(_ incarnation: UUID, after seq: Int64, limit: Int64) async throws -> Answer {
        // The counter, the log and the feed are read in one snapshot, so that none of them contains changes committed
        // between the reads.
        try await pool.withTransaction(.repeatableRead.readOnly) { connection in
            let results = try await connection.pipeline([
                ChangeLog.zone(incarnation),
                ChangeLog.rows(of: incarnation, after: seq, limit: limit, maxBytes: Self.maxBytes),
            ])
            guard let zone = try ChangeLog.zone(results[0]) else {
                throw ServerError(.zoneNotFound, "No zone has this incarnation", field: "incarnation")
            }
            let rows = try ChangeLog.rows(results[1])
            let firstMissed = seq + 1
            let lastMissed = (rows.first?.fromSeq ?? zone.counter + 1) - 1
            var merged: MergedChanges?
            if firstMissed <= lastMissed {
                let wanted = min(Int(limit), MergedChanges.maxEvents) * MergedChanges.recordsPerEvent
                let feed = try await connection.pipeline([
                    RecordTable(zone.environment).summaries(
                        in: zone.row, changedIn: firstMissed...lastMissed, limit: wanted)
                ])
                let entries = RecordTable.summaries(feed[0]).map(MergedChanges.Entry.init)
                merged = MergedChanges(
                    range: firstMissed...lastMissed, entries: entries, isComplete: entries.count < wanted)
                try await merged?.readValues(in: zone.row, of: zone.environment, on: connection)
            }
            var first = merged.map { events($0, of: zone, incarnation) }
            if let events = first, !events.isEmpty, zone.hasShares {
                first = try await withShares(events, of: zone, on: connection)
            }
            let moves = try await moves(of: rows, in: zone, on: connection)
            return answer(zone, first, merged: merged, rows: rows, moves: moves, limit: Int(limit))
        }
    }

    /// Returns merged events with the shares that they affected. If there are too many shares to list, an event concerns
    /// every share of the zone: some participants are then notified of changes that they cannot see, but none misses a
    /// change.
    private func withShares(
        _ events: [ChangeEvent], of zone: LoggedZone, on connection: PostgresConnection
    ) async throws -> [ChangeEvent] {
        let shares = try await shares(touchedBy: events.map { $0.fromSeq...$0.toSeq }, in: zone, on: connection)
        return zip(events, shares).map { event, shares in
            var event = event
            event.shares = ChangeEvent.Shares(
                zone: zone.zoneShare, unlisted: shares ?? [], isAll: event.isDeletion || shares == nil)
            return event
        }
    }

    /// Returns the shares that records entered or left by the changes of `rows` that name no records
    /// (``ShareMoveJob``), keyed by the number of the change; nil if there are too many to list. Takes one round trip if
    /// there are such changes.
    private func moves(
        of rows: [LoggedChanges], in zone: LoggedZone, on connection: PostgresConnection
    ) async throws -> [Int64: [Int64]?] {
        let moves = rows.filter { !$0.isDeletion && !$0.namesRecords }.map(\.toSeq)
        guard !moves.isEmpty else { return [:] }
        let shares = try await shares(touchedBy: moves.map { $0...$0 }, in: zone, on: connection)
        return Dictionary(uniqueKeysWithValues: zip(moves, shares))
    }

    /// Returns the shares that the changes of each range affected; nil if there are too many to list.
    private func shares(
        touchedBy ranges: [ClosedRange<Int64>], in zone: LoggedZone, on connection: PostgresConnection
    ) async throws -> [[Int64]?] {
        let limit = ChangeEvent.Shares.maxUnlisted
        let touched = try await connection.pipeline([
            AudienceTable.touched(by: ranges, in: zone.row, of: zone.environment, limit: limit)
        ])
        let shares = AudienceTable.touched(touched[0])
        // The list ends within the shares of this range.
        let cut = touched[0].count < limit ? ranges.endIndex : shares.keys.max() ?? 0
        return ranges.indices.map { $0 < cut ? shares[$0] ?? [] : nil }
    }

    /// Returns the merged events of a zone.
    private func events(_ merged: MergedChanges, of zone: LoggedZone, _ incarnation: UUID) -> [ChangeEvent] {
        var events = merged.events(
            of: zone.address, incarnation: incarnation, xid: zone.xid, at: zone.now, rights: zone.rights,
            token: { tokens.token(row: zone.row, address: zone.address, reached: $0) })
        if zone.isDeleted, merged.isComplete, let last = events.indices.last, events[last].toSeq == zone.counter {
            events[last].isDeletion = true
        }
        return events
    }

    private func answer(
        _ zone: LoggedZone, _ first: [ChangeEvent]?, merged: MergedChanges?, rows: [LoggedChanges],
        moves: [Int64: [Int64]?], limit: Int
    ) -> Answer {
        let isWhole = merged?.isComplete ?? true
        // Events with values can fill a page on their own.
        let room = isWhole && merged?.hasValues != true ? limit - (first?.count ?? 0) : 0
        return Answer { writer in
            writer.member("changeSeq", zone.counter)
            write(merged: first ?? [], rows.prefix(room), moves: moves, to: &writer)
            let isPageFull = rows.count > room || rows.count == limit || rows.last?.isFollowed == true
            writer.member("moreComing", !isWhole || isPageFull)
        }
    }
}

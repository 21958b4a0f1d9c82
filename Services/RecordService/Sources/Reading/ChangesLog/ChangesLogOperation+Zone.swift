internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages

extension ChangesLogOperation {
    /// The changes of one zone after a number, deleted zones too: their rows stay at least as long as their log.
    func zone(_ incarnation: UUID, after seq: Int64, limit: Int64) async throws -> Answer {
        // One snapshot for the counter, the log and the feed: what is committed between two reads is in none of them.
        try await store.pool.withTransaction(.repeatableRead.readOnly) { connection in
            let results = try await connection.pipeline([
                Self.zoneStatement(incarnation),
                PostgresCall(
                    Self.statement(where: "z.incarnation = $1 and l.to_seq > $2", order: "l.to_seq"),
                    [.uuid(incarnation), .int8(seq), .int8(limit), .int8(Int64(Self.maxBytes))]),
            ])
            guard let zone = results[0].first.map(Zone.init) else {
                throw ServerError(
                    .zoneNotFound, "There is no zone of that incarnation",
                    field: "incarnation")
            }
            let rows = results[1]
            let firstMissed = seq + 1
            let lastMissed = (rows.first?.int64(6) ?? zone.counter + 1) - 1
            var merged: MergedChanges?
            if firstMissed <= lastMissed {
                let wanted = min(Int(limit), MergedChanges.maxEvents) * MergedChanges.recordsPerEvent
                let feed = try await connection.pipeline([
                    RecordTable(zone.environment).summaries(
                        in: zone.row, changedIn: firstMissed...lastMissed, limit: wanted)
                ])
                merged = MergedChanges(
                    range: firstMissed...lastMissed, entries: feed[0].map(MergedChanges.Entry.init),
                    isComplete: feed[0].count < wanted)
                try await merged?.readValues(in: zone.row, of: zone.environment, on: connection)
            }
            return answer(zone, incarnation, merged: merged, rows: rows, limit: Int(limit))
        }
    }

    private func answer(
        _ zone: Zone, _ incarnation: UUID, merged: MergedChanges?, rows: PostgresResult, limit: Int
    ) -> Answer {
        var first = merged.map { merged in
            merged.events(
                of: zone.address, incarnation: incarnation, xid: zone.xid, at: zone.now, rights: zone.rights,
                token: { store.tokens.token(row: zone.row, address: zone.address, reached: $0) })
        }
        let isWhole = merged?.isComplete ?? true
        if zone.isDeleted, isWhole, let last = first?.indices.last, first?[last].toSeq == zone.counter {
            first?[last].isDeletion = true
        }
        // Values may take a page by themselves.
        let room = isWhole && merged?.hasValues != true ? limit - (first?.count ?? 0) : 0
        return Answer { writer in
            writer.member("changeSeq", zone.counter)
            write(merged: first ?? [], rows.prefix(room), to: &writer)
            let isPageFull = rows.count > room || rows.count == limit || Self.isCut(rows)
            writer.member("moreComing", !isWhole || isPageFull)
        }
    }

    private struct Zone {
        let row: ZoneRow
        let environment: EnvironmentRow
        let counter: Int64
        let xid: UInt64
        let now: Int64
        let rights: Int64
        let isDeleted: Bool
        let address: ZoneAddress

        init(_ row: PostgresRow) {
            self.row = ZoneRow(row.int64(0))
            environment = EnvironmentRow(row.int32(1))
            (counter, xid, now) = (row.int64(2), row.xid8(3), row.milliseconds(4))
            address = ChangesLogOperation.address(row, from: 5)
            (rights, isDeleted) = (row.int64(10), row.bool(11))
        }
    }

    private static func zoneStatement(_ incarnation: UUID) -> PostgresCall {
        PostgresCall(
            """
            select z.id, e.id, z.change_seq, z.changed_xid, now(), c.name, e.name, d.scope, d.owner, z.name, e.rights,
                z.deleted_at is not null
            from record.zone z join record.database d on d.id = z.database
            join record.environment e on e.id = d.environment join record.container c on c.id = e.container
            where z.incarnation = $1
            """, [.uuid(incarnation)])
    }
}

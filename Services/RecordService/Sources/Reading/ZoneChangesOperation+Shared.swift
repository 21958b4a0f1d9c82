internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// The changes to a zone as a participant sees them. If the whole zone is shared, the feed is that of the owner.
/// Otherwise, it contains the records of the participant's shares. Records that have left a share, or that the
/// participant can no longer see, appear as deletions.
extension ZoneChangesOperation {
    func sharedPage(_ query: ZoneChangesQuery, for context: RequestContext, budget: Budget) async throws -> Page {
        let limit = limit(of: query, in: budget)
        var walk = SharedWalk(isOfZone: false, reverse: query.reverse)
        let snapshot = try await reader.read(
            query.zoneID.zoneName, for: context, createDatabase: false,
            check: { zone, state in
                try walk.check(
                    row: zone.row.rawValue, counter: state.changeSeq,
                    purgeMark: max(state.purgeMark, state.departureMark))
            },
            { zone, access in
                guard let access else { throw ServerError.zoneNotFound(query.zoneID) }
                walk = try self.walk(query, in: zone, access, for: context.user)
                let (row, environment, range) = (zone.row, zone.database.environment, walk.range)
                if walk.isOfZone {
                    return [
                        RecordTable(environment).changes(
                            in: row, after: range.after.seq, below: range.descends ? range.before.seq : nil,
                            skippingTombstonesTo: range.horizon, limit: limit, maxBytes: budget.bytes)
                    ]
                }
                let feed = SharedFeedTable(environment, row, access)
                return [
                    feed.members(in: range, limit: limit, maxBytes: budget.bytes), feed.gone(in: range, limit: limit),
                ]
            })
        guard let snapshot else { throw ServerError.zoneNotFound(query.zoneID) }
        return try await page(snapshot, walk, limit: limit, maxBytes: budget.bytes, for: context.user)
    }

    private func page(
        _ snapshot: ZoneSnapshot, _ walk: SharedWalk, limit: Int, maxBytes: Int, for user: String
    ) async throws -> Page {
        let isTooLong = snapshot.records.reduce(0) { $0 + $1.size } > maxBytes
        let members =
            walk.isOfZone
            ? snapshot.records.map { SharedPosition.end(of: $0.changeSeq) }
            : SharedFeedTable.positions(of: snapshot.records, snapshot.results[0])
        let isMember = walk.isOfZone ? nil : SharedFeedTable.visible(snapshot.results[0])
        let gone = walk.isOfZone ? [] : SharedFeedTable.gone(snapshot.results[1])
        let merged = SharedFeedPage(
            members: members, isTooLong: isTooLong, gone: gone, limit: limit, descends: walk.range.descends)
        let visible = try await reader.visible(snapshot)
        // The names are compared only if some records are hidden.
        let names = visible.count == snapshot.records.count ? nil : Set(visible.map(\.name))
        let schema = snapshot.schema
        let items: [(place: SharedPosition, record: StoredRecord)] = merged.items.compactMap { item in
            guard let member = item.member else { return (item.place, .gone(item.place.name)) }
            let record = snapshot.records[member]
            let isShown =
                isMember?[member] != false && names?.contains(record.name) != false
                && schema.type(record.type)?.isHidden != true
            return isShown ? (item.place, record) : nil
        }
        let zone = snapshot.zone
        let newest = max(snapshot.state.changeSeq, members.first?.seq ?? 0, members.last?.seq ?? 0)
        let end = { @Sendable [tokens] (last: SharedPosition?, isCut: Bool) in
            let end = walk.end(after: last, newest: newest, isCut: isCut)
            return Page.End(token: walk.token(at: end, of: zone, for: user, by: tokens), moreComing: end.moreComing)
        }
        return Page(
            answer: RecordAnswer(zone: zone.address, reader: user, schema: schema, downloads: downloads),
            records: items.map(\.record), end: end(merged.items.last?.place, merged.isCut),
            endAfter: { [places = items.map(\.place)] count in end(count == 0 ? nil : places[count - 1], true) })
    }

    /// Opens a participant's token. If the token was issued for the other kind of share, it has expired, because the
    /// participant now sees different records of the zone.
    private func walk(
        _ query: ZoneChangesQuery, in zone: ZoneEntry, _ access: ShareAccess, for user: String
    ) throws(ServerError) -> SharedWalk {
        let isOfZone = access.visibleShares == nil
        guard let text = query.syncToken else { return SharedWalk(isOfZone: isOfZone, reverse: query.reverse) }
        let (whole, members) = (
            ZoneChangeToken(opening: text, with: tokens.keys), SharedZoneToken(opening: text, with: tokens.keys)
        )
        guard let address = whole?.address ?? members?.address, let store = whole?.store ?? members?.store else {
            if DatabaseChangeToken(opening: text, with: tokens.keys) != nil { throw .changeTokenForeign() }
            throw .changeTokenInvalid()
        }
        guard address == AddressDigest.zone(zone.address, for: user) else { throw .changeTokenForeign() }
        guard store == tokens.store else { throw .changeTokenExpired(.restored) }
        guard isOfZone == (whole != nil) else { throw .changeTokenExpired(.recreated) }
        let walk =
            if let whole {
                SharedWalk(after: whole, reverse: query.reverse)
            } else if let members {
                SharedWalk(after: members, reverse: query.reverse)
            } else {
                SharedWalk(isOfZone: isOfZone, reverse: query.reverse)
            }
        try walk.check(access)
        return walk
    }
}

extension StoredRecord {
    /// Returns the tombstone of a record that a participant can no longer see. The record's type is unknown.
    fileprivate static func gone(_ name: RecordName) -> StoredRecord {
        let stamp = Stamp(milliseconds: 0, user: "", device: "")
        return StoredRecord(
            name: name, type: RecordTypeID(0), changeSeq: 0, changeTag: "", fields: nil, size: 0, parent: nil,
            created: stamp, modified: stamp)
    }
}

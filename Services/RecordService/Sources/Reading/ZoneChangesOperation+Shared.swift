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
    /// The state of a walk that depends on the token and on what the participant may see.
    private struct SharedWalk {
        var position = SharedPosition.start
        var horizon: Int64?
        var isOfZone = false
        var row: Int64?

        /// See ``ZoneWalk/unknownTombstones``.
        var unknownTombstones: Int64 { horizon.map { position.seq < $0 ? $0 : 0 } ?? .max }
    }

    func sharedPage(_ query: ZoneChangesQuery, for context: RequestContext, budget: Budget) async throws -> Page {
        guard !query.reverse else {
            throw ServerError(
                .sharedDatabaseNotServed, "'reverse' is not supported in the shared database yet", field: "reverse")
        }
        let limit = limit(of: query, in: budget)
        var walk = SharedWalk()
        let snapshot = try await reader.read(
            query.zoneID.zoneName, for: context, createDatabase: false,
            check: { zone, state in
                guard let horizon = walk.horizon else { return }
                guard walk.row == zone.row.rawValue else { throw ServerError.changeTokenExpired(.recreated) }
                guard walk.position.seq <= state.changeSeq else { throw ServerError.changeTokenExpired(.restored) }
                guard horizon >= max(state.purgeMark, state.departureMark) else {
                    throw ServerError.changeTokenExpired(.purged)
                }
            },
            { zone, access in
                guard let access else { throw ServerError.zoneNotFound(query.zoneID) }
                walk = try self.walk(query.syncToken, in: zone, access, for: context.user)
                let (row, environment) = (zone.row, zone.database.environment)
                if walk.isOfZone {
                    return [
                        RecordTable(environment).changes(
                            in: row, after: walk.position.seq, skippingTombstonesTo: walk.unknownTombstones,
                            limit: limit, maxBytes: budget.bytes)
                    ]
                }
                let feed = SharedFeedTable(environment, row, access)
                return [
                    feed.members(
                        after: walk.position, skippingTombstonesTo: walk.unknownTombstones, limit: limit,
                        maxBytes: budget.bytes),
                    feed.gone(after: walk.position, skippingTombstonesTo: walk.unknownTombstones, limit: limit),
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
            ? snapshot.records.map {
                SharedPosition(seq: $0.changeSeq, recordSeq: .max, name: RecordName(unchecked: ""))
            }
            : SharedFeedTable.positions(snapshot.results[0])
        let gone = walk.isOfZone ? [] : SharedFeedTable.gone(snapshot.results[1])
        let merged = SharedFeedPage(members: members, isTooLong: isTooLong, gone: gone, limit: limit)
        let visible = Set(try await reader.visible(snapshot).map(\.name))
        let schema = snapshot.schema
        let items: [(place: SharedPosition, record: StoredRecord)] = merged.items.compactMap { item in
            guard let member = item.member else { return (item.place, .gone(item.place.name)) }
            let record = snapshot.records[member]
            let isShown = visible.contains(record.name) && schema.type(record.type)?.isHidden != true
            return isShown ? (item.place, record) : nil
        }
        let zone = snapshot.zone
        let counter = max(snapshot.state.changeSeq, members.last?.seq ?? 0)
        let end = { @Sendable [tokens] (place: SharedPosition, isCut: Bool) in
            let reached = isCut ? place : .end(of: counter)
            let horizon = max(walk.horizon ?? counter, reached.seq)
            let address = AddressDigest.zone(zone.address, for: user)
            let token =
                walk.isOfZone
                ? ZoneChangeToken(
                    store: tokens.store, address: address, zone: zone.row.rawValue, position: reached.seq,
                    horizon: horizon
                ).sealed(with: tokens.keys)
                : SharedZoneToken(
                    store: tokens.store, address: address, zone: zone.row.rawValue, position: reached,
                    horizon: horizon
                ).sealed(with: tokens.keys)
            return Page.End(token: token, moreComing: isCut)
        }
        return Page(
            answer: RecordAnswer(zone: zone.address, reader: user, schema: schema, downloads: downloads),
            records: items.map(\.record), end: end(merged.items.last?.place ?? walk.position, merged.isCut),
            endAfter: { [places = items.map(\.place)] count in
                end(count == 0 ? walk.position : places[count - 1], true)
            })
    }

    /// Opens a participant's token. If the token was issued for the other kind of share, it has expired, because the
    /// participant now sees different records of the zone.
    private func walk(
        _ text: String?, in zone: ZoneEntry, _ access: ShareAccess, for user: String
    ) throws(ServerError) -> SharedWalk {
        var walk = SharedWalk()
        walk.isOfZone = access.visibleShares == nil
        guard let text else { return walk }
        let (whole, members) = (
            ZoneChangeToken(opening: text, with: tokens.keys), SharedZoneToken(opening: text, with: tokens.keys)
        )
        guard let address = whole?.address ?? members?.address, let store = whole?.store ?? members?.store else {
            if DatabaseChangeToken(opening: text, with: tokens.keys) != nil { throw .changeTokenForeign() }
            throw .changeTokenInvalid()
        }
        guard address == AddressDigest.zone(zone.address, for: user) else { throw .changeTokenForeign() }
        guard store == tokens.store else { throw .changeTokenExpired(.restored) }
        guard walk.isOfZone == (whole != nil) else { throw .changeTokenExpired(.recreated) }
        walk.row = whole?.zone ?? members?.zone
        walk.horizon = whole?.horizon ?? members?.horizon
        walk.position = members?.position ?? .end(of: whole?.position ?? 0)
        // During its first walk, a client has no records from before the walk, so earlier interruptions do not matter.
        let known = walk.unknownTombstones > 0 ? .end(of: walk.unknownTombstones) : walk.position
        if !walk.isOfZone, let interruption = access.lastInterruption, known < .end(of: interruption) {
            throw .changeTokenExpired(.interrupted)
        }
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

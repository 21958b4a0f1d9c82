internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// Answers `records.modify` requests whose zone does not exist. The refusal is kept like any other outcome, so that a
/// repeated request is refused even if the zone has been created in the meantime. If the request was executed before
/// its zone was deleted, it gets the original answer.
struct MissingZoneOperation: Sendable {
    let pool: PostgresPool
    let directory: ZoneDirectory
    let schema: SchemaStore
    /// The issuer of download URLs for the assets that answers contain; nil if answers contain no URLs.
    let downloads: AssetDownloads?
    let limits: Limits

    /// Answers `unresolved`, a write whose zone was not found, in one transaction.
    ///
    /// - Throws: `PostgresError`, or, if the database does not exist, the ``ServerError`` that is to be the answer.
    func answer(_ unresolved: UnresolvedWrite) async throws -> Answer {
        let zoneID = unresolved.body.zoneID ?? .defaultZone
        guard unresolved.context.scope != .shared else { return try await answerShared(unresolved, zoneID) }
        guard let database = try await directory.database(for: unresolved.context, create: true) else {
            throw ServerError.zoneNotFound(zoneID)
        }
        // This zone has no row, so nothing can be read from it.
        let zone = ZoneEntry(
            database: database, row: ZoneRow(0), incarnation: UUID(),
            address: unresolved.address)
        let write = unresolved.resolved(in: zone)
        return try await pool.withTransaction { connection in
            let entry =
                [LockTimeouts.shorten(to: LockTimeouts.worker)] + SchemaStore.enter([database.environment])
            // A copy of the message can arrive after the zone has been created, and then be executed by a lane. The
            // lock on the database's row prevents other transactions from creating the zone, and the lock on the zone
            // prevents lanes from writing to it. The copy that is executed second therefore sees the row of the first.
            let found = try await connection.pipeline(
                entry + ZoneTable.lock(zoneID.zoneName, in: database)
                    + [RequestTable.record.lock([write.requestKey]), RequestTable.record.read([write.requestKey])])
            let earlier = found.last.flatMap { RequestTable.rows($0)[write.requestKey] }
            let schema = try await self.schema.snapshot(
                entered: found.prefix(entry.count), [database.environment],
                knowing: earlier.map { OutcomeCodec.types(in: $0.outcome) } ?? [], on: connection)
            if let row = earlier {
                return ModifyAnswer(
                    request: write, schema: schema, downloads: downloads,
                    maxBytes: limits.maxAnswerBytes
                ).again(row, CurrentRecords(records: [:], omitted: []))
            }
            let name = zoneID.zoneName
            let lost = try await connection.pipeline([ZoneTable.deletions(of: [name], in: database)])
            let error = ServerError.zoneNotFound(zoneID, deleted: ZoneTable.deletionReasons(lost[0])[name])
            let row = RequestTable.Row(
                key: write.requestKey, bodyHash: write.bodyHash, outcome: OutcomeCodec.encode(refusal: error))
            _ = try await connection.pipeline([RequestTable.record.insert([row])])
            return Answer(error: error, context: write.context)
        }
    }

    /// Answers a write in the shared database. The answer and the kept outcome are the same whether the owner has no
    /// database, the zone never existed, the zone was deleted, or the user may not see the zone (``WriteResolver``). A
    /// write that waited too long for the lock of its zone is answered here as well.
    ///
    /// - Throws: `zone_busy` if the user may see the zone, `container_not_found`, or `PostgresError`.
    private func answerShared(_ write: UnresolvedWrite, _ zoneID: ZoneID) async throws -> Answer {
        if let zone = try await directory.zone(zoneID.zoneName, for: write.context, createDatabase: false) {
            let writer = ShareAccessTable.Writer(zone: zone.row, user: write.context.user)
            let found = try await pool.withConnection { connection in
                try await connection.pipeline([ShareAccessTable.read(of: [writer], in: zone.database.environment)])
            }
            if ShareAccessTable.accesses(found[0])[writer] != nil { throw ServerError.zoneBusy(zoneID) }
        }
        let environment = try await directory.environment(for: write.context)
        let database = DatabaseEntry(environment: environment.row, isProduction: environment.isProduction, id: 0)
        let request = write.resolved(
            in: ZoneEntry(database: database, row: ZoneRow(0), incarnation: UUID(), address: write.address))
        let error = ServerError.zoneNotFound(zoneID)
        return try await pool.withTransaction { connection in
            let found = try await connection.pipeline([
                LockTimeouts.shorten(to: LockTimeouts.worker), RequestTable.record.lock([request.requestKey]),
                RequestTable.record.read([request.requestKey]),
            ])
            guard let row = RequestTable.rows(found[2])[request.requestKey] else {
                let row = RequestTable.Row(
                    key: request.requestKey, bodyHash: write.bodyHash, outcome: OutcomeCodec.encode(refusal: error))
                _ = try await connection.pipeline([RequestTable.record.insert([row])])
                return Answer(error: error, context: write.context)
            }
            let isRepeat = row.bodyHash == write.bodyHash
            return Answer(error: isRepeat ? error : .messageIDReused(), context: write.context)
        }
    }
}

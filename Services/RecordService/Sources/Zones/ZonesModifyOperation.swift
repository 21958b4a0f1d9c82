internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `zones.modify` (web-services 2.14). The operations are executed in order, and a failed operation does not stop the
/// others.
struct ZonesModifyOperation: Sendable {
    let directory: ZoneDirectory
    let ledger: RequestLedger
    let tokens: ZoneTokenIssuer
    let limits: Limits

    /// Answers `request`. A repeated request gets the original answer, byte for byte.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try ModifyZonesRequest(decoding: request.delivery.body, limits: limits)
        guard request.context.scope == .private else {
            throw ServerError(
                .zonesNotInDatabase,
                "Zones cannot be created or deleted in the \(request.context.scope.wireName) database",
                field: Header.database)
        }
        for operation in body.operations { try ZoneAccess.check(operation.zoneID, for: request.context) }
        return try await execute(body, request)
    }

    private func execute(_ body: ModifyZonesRequest, _ request: OpenedRequest) async throws -> Answer {
        let context = request.context
        guard let database = try await directory.database(for: context, create: true) else {
            throw ServerError.internalError(.databaseNotMade)
        }
        let environment = database.environment.rawValue
        var made: [ZoneEntry] = []
        let answer = try await ledger.once(
            request, environment: environment, first: [LockTimeouts.shorten(to: LockTimeouts.worker)]
        ) { connection in
            var outcomes: [Outcome] = []
            for operation in body.operations {
                outcomes.append(try await apply(operation, context, database, connection))
            }
            var answer = write(outcomes, request)
            for case .deleted(_, let event?) in outcomes { answer.events.append(event) }
            made = outcomes.compactMap { if case .live(let zone, _) = $0 { zone } else { nil } }
            return answer
        }
        // The next request probably writes to one of these zones.
        directory.remember(made)
        for operation in body.operations where operation.kind == .delete {
            directory.forget(context.address(ofZone: operation.zoneID.zoneName))
        }
        return answer
    }

    private enum Outcome {
        case live(ZoneEntry, changeSeq: Int64)
        case deleted(ZoneID, ChangeEvent?)
        case failed(ServerError, ZoneID)
    }

    private func apply(
        _ operation: ModifyZonesRequest.Operation, _ context: RequestContext, _ database: DatabaseEntry,
        _ connection: PostgresConnection
    ) async throws -> Outcome {
        let zoneID = operation.zoneID
        let name = zoneID.zoneName
        if let error = operation.error { return .failed(error, zoneID) }
        switch operation.kind {
        case .create:
            // Creating a zone that already exists changes nothing and returns the zone (semantics 6).
            let results = try await connection.pipeline(ZoneTable.create(name, in: database))
            guard let zone = ZoneTable.listed(results[1]).first else {
                return .failed(.internalError(.zoneNotMade), zoneID)
            }
            let entry = ZoneEntry(
                database: database, row: zone.row, incarnation: zone.incarnation,
                address: context.address(ofZone: name))
            return .live(entry, changeSeq: zone.changeSeq)
        case .delete:
            guard !zoneID.isDefault else { return .failed(.zoneNotModifiable(zoneID), zoneID) }
            let rows = try await connection.pipeline([
                ZoneTable.delete([name], of: database, reason: .deleted, by: context, limit: 1),
                ZoneTable.acknowledgeReset(of: name, in: database),
                ZoneTable.deletions(of: [name], in: database),
            ])
            if let zone = ZoneTable.deleted(rows[0]).first {
                let event = zone.event(context.address(ofZone: name), by: context, tokens: tokens)
                return .deleted(zoneID, event)
            }
            guard rows[1].affectedRows == 0 else { return .deleted(zoneID, nil) }
            return .failed(.zoneNotFound(zoneID, deleted: ZoneTable.deletionReasons(rows[2])[name]), zoneID)
        case .other:
            return .failed(.missingKey("operationType"), zoneID)
        }
    }

    private func write(_ outcomes: [Outcome], _ request: OpenedRequest) -> Answer {
        var answer = Answer { writer in
            writer.key("zones")
            writer.array(outcomes) { writer, outcome in
                switch outcome {
                case .live(let zone, let changeSeq):
                    ZoneDictionary(tokens: tokens).write(zone, changeSeq: changeSeq, to: &writer)
                case .deleted(let zoneID, _):
                    writer.zone(zoneID, deleted: true)
                case .failed(let error, let zoneID):
                    writer.itemError(error, zoneID: zoneID)
                }
            }
        }
        for case .failed(let error, _) in outcomes where answer.failure == nil { answer.failure = error }
        return answer
    }
}

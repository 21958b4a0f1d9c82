internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `zones.modify` (web-services 2.14). The operations are executed in order, and a failed operation does not prevent
/// the execution of later ones.
struct ZonesModifyOperation: Sendable {
    let directory: ZoneDirectory
    let ledger: RequestLedger
    let tokens: ZoneTokenIssuer
    let limits: Limits
    /// The maximum number of shares that one request leaves. Repeating the request leaves further shares.
    var maxDepartures = 1000
    /// Ends the user's participation in the shares of another user's zone. The integers are the position of the
    /// operation in the request, the environment, and the maximum number of shares to leave.
    let leave: @Sendable (ZoneID, OpenedRequest, Int, Int32, Int) async throws -> Departure

    /// The effect of deleting a zone in the shared database.
    struct Departure: Sendable {
        /// Whether the user had access to any share when the request was first executed.
        var hasLeft = false
        /// The number of departures.
        var count = 0
        /// Whether the request has no more shares to leave.
        var isComplete = false
        /// The events of the departures.
        var events: [ChangeEvent] = []
    }

    /// Answers `request`. A repeated request gets the original answer, byte for byte.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try ModifyZonesRequest(decoding: request.delivery.body, limits: limits)
        guard request.context.scope != .public else {
            throw Self.notInDatabase("Zones cannot be created or deleted in the public database")
        }
        guard request.context.scope == .private else { return try await answerShared(body, request) }
        for operation in body.operations { try ZoneAccess.check(operation.zoneID, for: request.context) }
        return try await execute(body, request)
    }

    private static func notInDatabase(_ reason: String) -> ServerError {
        ServerError(.zonesNotInDatabase, reason, field: Header.database)
    }

    /// Answers a request in the shared database, where the deletion of a zone only ends the user's participation in the
    /// zone's shares.
    private func answerShared(_ body: ModifyZonesRequest, _ request: OpenedRequest) async throws -> Answer {
        for operation in body.operations where operation.kind != .create && operation.zoneID.ownerRecordName == nil {
            throw ServerError.missingKey("ownerRecordName")
        }
        let environment = try await directory.environment(for: request.context).row.rawValue
        if let earlier = try await ledger.answer(to: request, environment: environment) { return earlier }
        var outcomes: [Outcome] = []
        var events: [ChangeEvent] = []
        var remaining = maxDepartures
        for (position, operation) in body.operations.enumerated() {
            let zoneID = operation.zoneID
            if let error = operation.error {
                outcomes.append(.failed(error, zoneID))
                continue
            }
            switch operation.kind {
            case .create:
                outcomes.append(
                    .failed(Self.notInDatabase("Zones cannot be created in the shared database"), zoneID))
            case .delete:
                let departure = try await leave(zoneID, request, position, environment, remaining)
                events += departure.events
                remaining -= departure.count
                guard departure.isComplete else { return try Self.incomplete(zoneID, request, events) }
                outcomes.append(departure.hasLeft ? .deleted(zoneID, nil) : .failed(.zoneNotFound(zoneID), zoneID))
            case .other:
                outcomes.append(.failed(.missingKey("operationType"), zoneID))
            }
        }
        var answer = try await ledger.once(request, environment: environment) { [outcomes] _ in
            write(outcomes, request)
        }
        answer.events += events
        return answer
    }

    /// Returns the answer to a request that did not leave all shares. The ledger does not keep the answer, so repeating
    /// the request leaves the remaining shares.
    ///
    /// - Throws: an error that makes the service repeat the request, if no caller is waiting for the answer.
    private static func incomplete(
        _ zoneID: ZoneID, _ request: OpenedRequest, _ events: [ChangeEvent]
    ) throws -> Answer {
        let reason = "Zone '\(zoneID.zoneName.rawValue)' has more shares than one request can leave; repeat the request"
        guard !request.delivery.isUnanswered else {
            throw PostgresError(.server, sqlState: .lockNotAvailable, message: reason)
        }
        let error = ServerError(.zoneBusy, reason, retryAfter: 1).about(zoneID: zoneID)
        var answer = Answer(error: error, context: request.context)
        answer.events = events
        return answer
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

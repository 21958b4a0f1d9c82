internal import CloudKitModel
internal import CloudKitWire
internal import OperatorMessages
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `zones.purge`, for operators: deletes a user's zones and stores the reason, which is sent to clients (semantics 6,
/// 8.4). Until a zone with the same name is created again, every request for that name fails with the reason.
struct ZonesPurgeOperation: Sendable {
    let directory: ZoneDirectory
    let ledger: RequestLedger
    let tokens: ZoneTokenIssuer
    let limits: Limits

    /// Deletes the zones, and answers with an item for each named zone. With `all`, the answer lists the zones that
    /// were deleted. The number of these zones is limited to the maximum number of operations in a request.
    ///
    /// - Throws: `BAD_REQUEST` or `PostgresError`.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try ZonesPurgeRequest(request)
        let context = try Self.context(of: body, request.context)
        guard let reason = ZoneDeletionReason(rawValue: body.reason), reason != .deleted else {
            throw ServerError.wrongKind("reason", expected: "'purged' or 'encryptedDataReset'")
        }
        let limit = limits.maxOperationsPerRequest
        let names = body.zones?.map(ZoneName.init(unchecked:))
        if let count = names?.count, count > limit {
            throw ServerError.tooMany("zones", limit: limit, actual: count)
        }
        let database = try await directory.database(for: context, create: false)
        let answer = try await ledger.once(request, environment: 0) { connection in
            var gone: [ZoneName] = []
            var events: [ChangeEvent] = []
            var lost: [ZoneName: ZoneDeletionReason] = [:]
            if let database {
                let results = try await connection.pipeline([
                    ZoneTable.deletions(of: names ?? [], in: database),
                    ZoneTable.delete(names, of: database, reason: reason, by: request.context, limit: limit),
                ])
                lost = ZoneTable.deletionReasons(results[0])
                for zone in ZoneTable.deleted(results[1]) {
                    gone.append(zone.name)
                    events.append(
                        zone.event(context.address(ofZone: zone.name), by: request.context, tokens: tokens))
                }
            }
            let purged = Set(gone)
            var answer = Answer { writer in
                writer.key("zones")
                writer.array(names ?? gone) { writer, name in
                    let zoneID = RecordAnswer(zone: context.address(ofZone: name)).zoneID
                    if purged.contains(name) {
                        writer.zone(zoneID, deleted: true, deletionReason: reason)
                    } else if zoneID.isDefault {
                        writer.itemError(.zoneNotModifiable(zoneID), zoneID: zoneID)
                    } else {
                        writer.itemError(.zoneNotFound(zoneID, deleted: lost[name]), zoneID: zoneID)
                    }
                }
                writer.member("moreComing", names == nil && gone.count == limit)
            }
            answer.events = events
            return answer
        }
        // Other instances notice the deletion when they lock or read the row of a zone.
        directory.forgetZones(of: context)
        return answer
    }

    /// The context of the database whose zones are purged.
    private static func context(
        of body: ZonesPurgeRequest, _ context: RequestContext
    ) throws(ServerError) -> RequestContext {
        var context = context
        context.container = try ContainerIdentifier.validated(body.container)
        guard let environment = EnvironmentName(rawValue: body.environment) else {
            throw .wrongKind("environment", expected: "'development' or 'production'")
        }
        context.environment = environment
        guard DatabaseScope(wireName: body.database) == .private else {
            throw .wrongKind("database", expected: "'private', the only database whose zones can be purged")
        }
        context.scope = .private
        do {
            context.user = try UserName(validating: body.owner).rawValue
        } catch {
            throw ServerError(error, field: "owner")
        }
        return context
    }
}

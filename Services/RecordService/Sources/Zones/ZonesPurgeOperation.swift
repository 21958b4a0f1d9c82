internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `zones.purge`, for operators: deletes zones of a user and stores the reason, which clients receive (semantics 6,
/// 8.4). Until a zone with the same name is created again, every request on it is answered with the reason.
struct ZonesPurgeOperation: Sendable {
    let directory: ZoneDirectory
    let ledger: RequestLedger
    let tokens: ZoneTokenIssuer
    let limits: Limits

    /// The body of a request.
    private struct Body {
        var context: RequestContext
        /// The zones; nil for all custom zones.
        let names: [ZoneName]?
        let reason: ZoneDeletionReason

        /// - Throws: `BAD_REQUEST` that names the missing or invalid key.
        init(_ request: OpenedRequest, limits: Limits) throws(ServerError) {
            let body = try JSONValue(parsing: request.delivery.body)
            context = request.context
            context.container = try body.containerName()
            guard let environment = EnvironmentName(rawValue: try Self.text("environment", in: body)) else {
                throw .wrongKind("environment", expected: "'development' or 'production'")
            }
            context.environment = environment
            guard DatabaseScope(wireName: try Self.text("database", in: body)) == .private else {
                throw .wrongKind("database", expected: "'private', the only database whose zones can be purged")
            }
            context.scope = .private
            let owner = try Self.text("owner", in: body)
            do {
                context.user = try UserName(validating: owner).rawValue
            } catch {
                throw ServerError(error, field: "owner")
            }
            guard let reason = ZoneDeletionReason(rawValue: try Self.text("reason", in: body)), reason != .deleted
            else {
                throw .wrongKind("reason", expected: "'purged' or 'encryptedDataReset'")
            }
            self.reason = reason
            if body["all"]?.bool == true, body["zones"] == nil {
                names = nil
            } else {
                guard let zones = body["zones"]?.array else { throw .missingKey("zones") }
                let names = zones.compactMap(\.string).map(ZoneName.init(unchecked:))
                guard names.count == zones.count else { throw .wrongKind("zones", expected: "a list of names") }
                guard names.count <= limits.maxOperationsPerRequest else {
                    throw .tooMany("zones", limit: limits.maxOperationsPerRequest, actual: names.count)
                }
                self.names = names
            }
        }

        private static func text(_ key: String, in body: JSONValue) throws(ServerError) -> String {
            guard let text = body[key]?.string else { throw .missingKey(key) }
            return text
        }
    }

    /// `{container, environment, database: "private", owner, zones: […] | all: true, reason}` → `{zones, moreComing}`,
    /// with an item for each named zone or, with `all`, for each deleted zone. With `all`, a request deletes at most as
    /// many zones as a request may have operations; `moreComing` indicates whether more zones may be left.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try Body(request, limits: limits)
        let context = body.context
        let limit = limits.maxOperationsPerRequest
        let database = try await directory.database(for: context, create: false)
        let answer = try await ledger.once(request, environment: 0) { connection in
            var gone: [ZoneName] = []
            var events: [ChangeEvent] = []
            var lost: [ZoneName: ZoneDeletionReason] = [:]
            if let database {
                let results = try await connection.pipeline([
                    ZoneTable.deletions(of: body.names ?? [], in: database),
                    ZoneTable.delete(body.names, of: database, reason: body.reason, by: request.context, limit: limit),
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
                writer.array(body.names ?? gone) { writer, name in
                    let zoneID = RecordAnswer(zone: context.address(ofZone: name)).zoneID
                    if purged.contains(name) {
                        writer.zone(zoneID, deleted: true, deletionReason: body.reason)
                    } else if zoneID.isDefault {
                        writer.itemError(.zoneNotModifiable(zoneID), zoneID: zoneID)
                    } else {
                        writer.itemError(.zoneNotFound(zoneID, deleted: lost[name]), zoneID: zoneID)
                    }
                }
                writer.member("moreComing", body.names == nil && gone.count == limit)
            }
            answer.events = events
            return answer
        }
        // Other instances notice the deletion when they lock or read the row of a zone.
        directory.forgetZones(of: context)
        return answer
    }
}

internal import CloudKitModel
internal import CloudKitWire

/// The position in a zone's feed from which to fetch changes.
struct ZonePosition: Sendable {
    var zoneID: CKRecordZone.ID
    var token: CKServerChangeToken?
    /// The fields to fetch; nil for all.
    var desiredKeys: [String]?
    /// The largest number of changes in a page; 0 for the server's default.
    var resultsLimit = 0
}

/// A page of a zone's feed.
struct ZonePage: Sendable {
    /// The records and tombstones, in the order of the feed.
    var records: [JSONValue]
    var token: CKServerChangeToken
    var moreComing: Bool
}

/// A page of a database's feed.
struct DatabasePage: Sendable {
    /// A zone that changed or was deleted.
    enum Change: Sendable {
        case changed(CKRecordZone.ID)
        case deleted(CKRecordZone.ID, ZoneDeletionReason)
    }

    var changes: [Change]
    var token: CKServerChangeToken
    var moreComing: Bool
}

extension WebDatabase {
    /// Fetches a page of changes of each zone (`changes/zone`).
    ///
    /// - Returns: One result for each position, in the same order.
    func zoneChanges(_ positions: [ZonePosition]) async throws(CKError) -> [ItemResult<ZonePage>] {
        let body: JSONValue = ["zones": .array(positions.map(json))]
        let items = try await items("changes/zone", body, "zones", count: positions.count)
        var results: [ItemResult<ZonePage>] = []
        for item in items {
            if let fault = item.fault {
                results.append(.failure(fault.error()))
                continue
            }
            guard let records = item["records"]?.array, let token = item["syncToken"]?.string,
                let moreComing = item["moreComing"]?.bool
            else { throw .unexpectedAnswer("a page of changes has no records or no syncToken") }
            results.append(
                .success(ZonePage(records: records, token: CKServerChangeToken(token), moreComing: moreComing)))
        }
        return results
    }

    private func json(of position: ZonePosition) -> JSONValue {
        var members = [JSONValue.Member("zoneID", json(of: position.zoneID))]
        if let token = position.token { members.append(JSONValue.Member("syncToken", .string(token.syncToken))) }
        if let keys = position.desiredKeys {
            members.append(JSONValue.Member("desiredKeys", .array(keys.map { .string($0) })))
        }
        if position.resultsLimit > 0 {
            members.append(JSONValue.Member("resultsLimit", .int(Int64(position.resultsLimit))))
        }
        return .object(members)
    }

    /// Fetches a page of the zones that changed (`changes/database`).
    func databaseChanges(
        since token: CKServerChangeToken?, resultsLimit: Int
    ) async throws(CKError) -> DatabasePage {
        var body: [JSONValue.Member] = []
        if let token { body.append(JSONValue.Member("syncToken", .string(token.syncToken))) }
        if resultsLimit > 0 { body.append(JSONValue.Member("resultsLimit", .int(Int64(resultsLimit)))) }
        let answer = try await answer("changes/database", .object(body))
        guard let zones = answer["zones"]?.array, let next = answer["syncToken"]?.string,
            let moreComing = answer["moreComing"]?.bool
        else { throw .unexpectedAnswer("a page of changed zones has no zones or no syncToken") }
        var changes: [DatabasePage.Change] = []
        for zone in zones {
            guard let id = zoneID(zone["zoneID"]) else { throw .unexpectedAnswer("a changed zone has no name") }
            guard zone["deleted"]?.bool == true else {
                changes.append(.changed(id))
                continue
            }
            let reason = zone["deletionReason"]?.string.flatMap { ZoneDeletionReason(rawValue: $0) }
            changes.append(.deleted(id, reason ?? .deleted))
        }
        return DatabasePage(changes: changes, token: CKServerChangeToken(next), moreComing: moreComing)
    }
}

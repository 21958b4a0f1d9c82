internal import AMQPClient
internal import CloudKitModel
internal import CloudKitSchema
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `records.lookup` (web-services 2.4): returns one item for each name. The item for a missing record is an error.
struct RecordsLookupOperation: Sendable {
    let reader: ZoneReader
    let directory: ZoneDirectory
    /// The issuer of download URLs for the assets that answers contain; nil if answers contain no URLs.
    let downloads: AssetDownloads?
    let limits: Limits

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try LookupRecordsRequest(decoding: request.delivery.body, limits: limits)
        let zoneID = body.zoneID ?? .defaultZone
        let context = try ZoneAccess.context(of: zoneID, for: request.context)
        // The user's own user record exists even if it was never saved, so its database is created if necessary.
        let user = RecordName(unchecked: request.context.user)
        let asksForUser =
            zoneID.isDefault && context.scope != .shared && body.records.contains { $0.recordName == user }
        // The records are read in the order of the request, so that any records that do not fit in the answer are the
        // last ones.
        var seen: Set<RecordName> = []
        let names = body.records.map(\.recordName).filter { seen.insert($0).inserted }
        let snapshot = try await reader.read(zoneID.zoneName, for: context, createDatabase: asksForUser) {
            zone, access in
            [
                RecordTable(zone.database.environment).read(
                    names.map { RecordKey(zone: zone.row, name: $0) }, in: access?.visibleShares,
                    moves: access?.moves ?? .none)
            ]
        }
        guard let snapshot else {
            guard context.scope != .shared else { throw ServerError.zoneNotFound(zoneID) }
            guard zoneID.isDefault else { throw try await directory.missing(zoneID, for: context) }
            return Answer { writer in
                writer.key("records")
                writer.array(body.records) { $0.itemError(.recordNotFound($1.recordName)) }
            }
        }
        let found = try await found(snapshot, asksForUser: asksForUser, for: context)
        return answer(body, found, for: request.context.user)
    }

    private func answer(_ body: LookupRecordsRequest, _ found: Found, for reader: String) -> Answer {
        let records = RecordAnswer(zone: found.zone.address, reader: reader, schema: found.schema, downloads: downloads)
        let desiredKeys = body.desiredKeys.map(Set.init)
        let maxBytes = limits.maxAnswerBytes
        return Answer(maxBytes: maxBytes) { writer in
            writer.key("records")
            // The same record can be requested many times, and its JSON can be far longer than its counted size.
            var room = WireRoom(count: body.records.count, reserve: RecordAnswer.shortBytes)
            writer.array(body.records) { writer, item in
                let outcome = found.outcome(item.recordName)
                var weight = 0
                if case .success(let record) = outcome, item.desiredKeys ?? body.desiredKeys == nil {
                    weight = record.size
                }
                let isWritten = room.take(weight: weight, in: &writer) { writer in
                    switch outcome {
                    case .success(let record):
                        records.write(
                            record, desiredKeys: item.desiredKeys.map(Set.init) ?? desiredKeys,
                            numbersAsStrings: body.numbersAsStrings, to: &writer)
                    case .failure(let error): writer.itemError(error, recordName: item.recordName)
                    }
                }
                if !isWritten { writer.itemError(.replyTooLarge(maxBytes), recordName: item.recordName) }
            }
        }
    }

    /// The records found for the names in a request.
    private struct Found {
        let zone: ZoneEntry
        let schema: SchemaSnapshot
        let rules: AccessRules
        let records: [RecordName: StoredRecord]
        let omitted: Set<RecordName>

        func outcome(_ name: RecordName) -> Result<StoredRecord, ServerError> {
            if omitted.contains(name) {
                return .failure(.replyTooLarge(RecordTable.maxBytesRead))
            }
            guard let record = records[name], !record.isTombstone else { return .failure(.recordNotFound(name)) }
            let type = schema.type(record.type)
            if type?.isHidden == true { return .failure(.recordNotFound(name)) }
            let denial = rules.denial(
                of: .read, type, typeName: type?.name ?? "", name: name, creator: record.created.user)
            return denial.map { .failure($0) } ?? .success(record)
        }
    }

    /// Returns the records that were found, including the user's own user record if it was requested but never saved.
    private func found(
        _ snapshot: ZoneSnapshot, asksForUser: Bool, for context: RequestContext
    ) async throws -> Found {
        let environment = snapshot.zone.database.environment
        let rules = AccessRules(context, customRoles: snapshot.schema.roles(of: context.user, in: environment))
        var records: [RecordName: StoredRecord] = [:]
        for record in try await reader.visible(snapshot) { records[record.name] = record }
        let user = RecordName(unchecked: context.user)
        if asksForUser, rules.isOwnUserRecord(user), records[user]?.isTombstone != false,
            let type = snapshot.schema.type("Users", in: environment)
        {
            records[user] = .implicitUser(context.user, type: type.id)
        }
        return Found(
            zone: snapshot.zone, schema: snapshot.schema, rules: rules, records: records,
            omitted: Set(snapshot.omitted))
    }
}

extension StoredRecord {
    /// Returns a user's record as it is before its first save (semantics 1.4), without custom fields or a creation
    /// time.
    fileprivate static func implicitUser(_ user: String, type: RecordTypeID) -> StoredRecord {
        let stamp = Stamp(milliseconds: 0, user: user, device: "2")
        return StoredRecord(
            name: RecordName(unchecked: user), type: type, changeSeq: 0, changeTag: "0", fields: StoredFields(),
            size: 0, parent: nil,
            created: stamp, modified: stamp)
    }
}

internal import AMQPClient
internal import CloudKitModel
internal import CloudKitSchema
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages

/// `records.lookup` (web-services 2.4): one item per name, a missing record is an item's error.
struct RecordsLookupOperation: Sendable {
    let store: RecordStore

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try LookupRecordsRequest(decoding: request.delivery.body, limits: store.limits)
        let zoneID = body.zoneID ?? .defaultZone
        try ZoneAccess.check(zoneID, for: request.context)
        let name = zoneID.zoneName
        // One's own user record is there without having been made, and so is the database that it is in.
        let user = RecordName(unchecked: request.context.user)
        let asksForUser = zoneID.isDefault && body.records.contains { $0.recordName == user }
        let zone = try await store.directory.zone(name, for: request.context, createDatabase: asksForUser)
        guard let zone else {
            guard zoneID.isDefault else { throw try await store.missing(zoneID, for: request.context) }
            return Answer { writer in
                writer.key("records")
                writer.array(body.records) { $0.itemError(.recordNotFound($1.recordName)) }
            }
        }
        guard let found = try await find(body, in: zone, for: request.context) else {
            // Deleted, perhaps made again since: the directory finds out.
            store.directory.forget(zone.address)
            return try await answer(request)
        }
        let records = RecordAnswer(zone: zone.address, schema: found.schema, downloads: store.downloads)
        let desiredKeys = body.desiredKeys.map(Set.init)
        let maxBytes = store.limits.maxAnswerBytes
        return Answer(maxBytes: maxBytes) { writer in
            writer.key("records")
            // A record may be asked for many times, and be far longer as JSON than it counts.
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

    /// What is there of the names of a request.
    private struct Found {
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

    /// - Returns: nil: the zone's row is gone.
    private func find(_ body: LookupRecordsRequest, in zone: ZoneEntry, for context: RequestContext) async throws
        -> Found?
    {
        // In the order of the request: what does not fit into the answer is at its end.
        var seen: Set<RecordName> = []
        let keys = body.records.filter { seen.insert($0.recordName).inserted }
            .map { RecordKey(zone: zone.row, name: $0.recordName) }
        let environment = zone.database.environment
        let results = try await store.pool.withConnection { connection in
            // One snapshot for the records and the version of the schema that they were written by.
            try await connection.pipeline([
                .begin(.repeatableRead.readOnly), ZoneTable.state(of: zone.row), SchemaLock.version(environment),
                RecordTable(environment).read(keys), .commit,
            ])
        }
        guard let state = results[1].first, !state.bool(2) else { return nil }
        let rows = try RecordTable.records(results[3])
        guard
            let schema = try await store.schema.snapshot(
                of: environment, version: results[2].first?.int64(0), records: rows.map(\.record))
        else { return try await find(body, in: zone, for: context) }
        let rules = AccessRules(context, customRoles: schema.roles(of: context.user, in: environment))
        var records: [RecordName: StoredRecord] = [:]
        let read = rows.filter { !$0.isOmitted }.map(\.record)
        for record in try await store.visible(read, in: zone, isCascading: state.bool(3)) {
            records[record.name] = record
        }
        let user = RecordName(unchecked: context.user)
        if zone.address.zone == .defaultZone,
            keys.contains(where: { $0.name == user && rules.isOwnUserRecord(user) }),
            records[user]?.isTombstone != false, let type = schema.type("Users", in: environment)
        {
            records[user] = .implicitUser(context.user, type: type.id)
        }
        return Found(
            schema: schema, rules: rules, records: records,
            omitted: Set(rows.filter { $0.isOmitted }.map(\.record.name)))
    }
}

extension StoredRecord {
    /// A user's record before anybody saved it (semantics 1.4): no custom fields, no moment at which it was made.
    fileprivate static func implicitUser(_ user: String, type: RecordTypeID) -> StoredRecord {
        let stamp = Stamp(milliseconds: 0, user: user, device: "2")
        return StoredRecord(
            name: RecordName(unchecked: user), type: type, changeSeq: 0, changeTag: "0", fields: StoredFields(),
            size: 0, parent: nil,
            created: stamp, modified: stamp)
    }
}

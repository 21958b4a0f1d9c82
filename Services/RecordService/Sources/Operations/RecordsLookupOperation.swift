internal import AMQPClient
internal import CloudKitModel
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
        let name = zoneID.zoneName.rawValue
        let zone = try await store.directory.zone(name, for: request.context, createDatabase: false)
        guard zone != nil || zoneID.isDefault else { throw try await store.missing(zoneID, for: request.context) }
        var found: [String: StoredRecord] = [:]
        var omitted: Set<String> = []
        if let zone {
            // In the order of the request: what does not fit into the answer is at its end.
            var seen: Set<String> = []
            let keys = body.records.filter { seen.insert($0.recordName).inserted }
                .map { RecordKey(zone: zone.row, name: $0.recordName) }
            let results = try await store.pool.withConnection { connection in
                try await connection.pipeline([
                    ZoneTable.state(of: zone.row),
                    RecordTable(zone.database.environment).read(keys),
                ])
            }
            guard let state = results[0].first, !state.bool(2) else {
                // Deleted, perhaps made again since: the directory finds out.
                store.directory.forget(zone.address)
                guard try await store.directory.zone(name, for: request.context, createDatabase: false) != nil else {
                    throw try await store.missing(zoneID, for: request.context)
                }
                return try await answer(request)
            }
            let read = try RecordTable.records(results[1])
            omitted = Set(read.lazy.filter(\.isOmitted).map(\.record.name))
            let visible = try await store.visible(read.map(\.record), in: zone, isCascading: state.bool(3))
            for record in visible where !omitted.contains(record.name) { found[record.name] = record }
            try await store.schema.know(records: Array(found.values))
        }
        let records = RecordAnswer(
            zone: request.context.address(ofZone: name), schema: store.schema, downloads: store.downloads)
        return Answer { writer in
            writer.key("records")
            writer.array(body.records) { writer, item in
                if let record = found[item.recordName], !record.isTombstone {
                    records.write(
                        record, desiredKeys: item.desiredKeys ?? body.desiredKeys,
                        numbersAsStrings: body.numbersAsStrings, to: &writer)
                } else if omitted.contains(item.recordName) {
                    writer.itemError(
                        ServerError(
                            .replyTooLarge, "The records before this one fill the reply; ask for it again",
                            limit: RecordTable.maxBytesRead), recordName: item.recordName)
                } else {
                    writer.itemError(.recordNotFound(item.recordName))
                }
            }
        }
    }
}

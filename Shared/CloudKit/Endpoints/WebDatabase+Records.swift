internal import CloudKitModel
internal import CloudKitWire

/// A change of one record.
enum RecordChange: Sendable {
    case save(CKRecord)
    case delete(CKRecord.ID)

    /// The record.
    var recordID: CKRecord.ID {
        switch self {
        case .save(let record): record.recordID
        case .delete(let id): id
        }
    }
}

extension WebDatabase {
    /// The largest number of changes in a request.
    static let maxChanges = 2_000
    /// The size of the changes in a request, in bytes, above which no more are added to it.
    static let maxChangeBytes = 12 << 20
    /// The largest number of records that are fetched with one request.
    static let maxLookups = 400

    /// The JSON of a change, as an operation of `records/modify`.
    ///
    /// - Parameter uploaded: The assets whose files have been uploaded for the save.
    func json(
        of change: RecordChange, _ policy: CKModifyRecordsOperation.RecordSavePolicy,
        _ uploaded: [AssetPlace: Asset] = [:]
    ) throws(CKError) -> [UInt8] {
        switch change {
        case .save(let record):
            return try RecordCoding.operation(saving: record, policy, uploaded)
        case .delete(let id):
            var writer = WireWriter()
            writer.object { writer in
                writer.member("operationType", "forceDelete")
                writer.key("record")
                writer.object { $0.member("recordName", id.recordName) }
            }
            return writer.bytes
        }
    }

    /// Saves and deletes records of one zone (`records/modify`).
    ///
    /// - Parameters:
    ///   - changes: The JSON of the changes.
    ///   - atomic: Whether all changes succeed or none.
    /// - Returns: The items of the answer, in the order of the changes.
    func modify(
        _ changes: [[UInt8]], of ids: [CKRecord.ID], in zoneID: CKRecordZone.ID, atomic: Bool, idempotencyKey: String
    ) async throws(CKError) -> [JSONValue] {
        var writer = WireWriter(capacity: changes.reduce(256) { $0 + $1.count + 1 })
        writer.object { writer in
            writer.key("zoneID")
            writer.value(json(of: zoneID))
            writer.member("atomic", atomic)
            // The answer need not contain the fields, which the client knows.
            writer.member("desiredKeys", [String]())
            writer.key("operations")
            writer.array(changes) { $0.raw($1) }
        }
        var request = WebRequest("records/modify", in: scope, body: writer.bytes)
        request.idempotencyKey = idempotencyKey
        let answer = try await answer(request)
        if answer["answerOmitted"]?.bool == true {
            return try await lookup(ids.map(\.recordName), in: zoneID, desiredKeys: [])
        }
        guard let items = answer["records"]?.array, items.count == ids.count else {
            throw .unexpectedAnswer("the answer to records/modify has not one item for each change")
        }
        return items
    }

    /// Fetches records of one zone (`records/lookup`).
    ///
    /// - Returns: The items of the answer, in the order of the names.
    func lookup(
        _ names: [String], in zoneID: CKRecordZone.ID, desiredKeys: [String]?
    ) async throws(CKError) -> [JSONValue] {
        var body = [
            JSONValue.Member("records", .array(names.map { ["recordName": .string($0)] })),
            JSONValue.Member("zoneID", json(of: zoneID)),
        ]
        if let desiredKeys { body.append(JSONValue.Member("desiredKeys", .array(desiredKeys.map { .string($0) }))) }
        return try await items("records/lookup", .object(body), "records", count: names.count)
    }

    /// Fetches a page of the records that a query finds (`records/query`).
    ///
    /// - Returns: The records, and the marker of the next page.
    func query(_ request: QueryRecordsRequest) async throws(CKError) -> (records: [JSONValue], marker: String?) {
        var writer = WireWriter()
        writer.queryRecords(request)
        let answer = try await answer(WebRequest("records/query", in: scope, body: writer.bytes))
        guard let records = answer["records"]?.array else {
            throw .unexpectedAnswer("the answer to records/query has no 'records'")
        }
        return (records, answer["continuationMarker"]?.string)
    }

    /// Reads the records of an answer, and downloads the files of their assets. What is wrong with one record is an error
    /// of this record only.
    ///
    /// - Throws: `internalError` if a record has no name.
    func records(from items: [JSONValue]) async throws(CKError) -> [(CKRecord.ID, ItemResult<CKRecord>)] {
        var ids: [CKRecord.ID] = []
        for item in items {
            guard let name = item["recordName"]?.string else { throw .unexpectedAnswer("a record has no name") }
            ids.append(CKRecord.ID(recordName: name, zoneID: zoneID(item["zoneID"]) ?? CKRecordZone.ID.default))
        }
        let results = items.map { item in Result { () throws(CKError) in try RecordCoding.record(from: item, in: self) }
        }
        return Array(zip(ids, await withFiles(results)))
    }
}

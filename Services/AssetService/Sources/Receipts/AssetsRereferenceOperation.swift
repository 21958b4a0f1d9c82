internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// `assets.rereference` (web-services 2.11): returns the assets of existing records, with new receipts, so that other
/// records in the same database can refer to them without another upload. In the shared database, the receipts are
/// valid in the zone `targetZoneID`, which must have the same owner as the zone of the records. Without `targetZoneID`,
/// they are valid in the zone of the records.
///
/// The record service reads the records as the caller, so that callers get no receipts for assets in records that they
/// are not allowed to read. If an entry names no asset, the whole request fails, as in Apple's service.
struct AssetsRereferenceOperation: Sendable {
    let records: RecordLookup
    let receipts: AssetReceipts
    let scopes: AssetScopes

    /// Returns the asset of each entry, in the order of the entries. For a list field, these are all assets in the
    /// list.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let entries = try Self.entries(in: body)
        let scope = try await scope(of: request, body)
        let found = try await records.records(
            entries.map { ($0.recordName, $0.fieldName) }, in: body["zoneID"] ?? .null, for: request)
        var wanted: [(field: String, checksum: AssetChecksum)] = []
        for (entry, record) in zip(entries, found) {
            wanted += try Self.checksums(of: entry, in: record).map { (entry.fieldName, $0) }
        }
        guard wanted.count <= AssetLimits.maxReceipts else {
            throw ServerError.tooMany("assets", limit: AssetLimits.maxReceipts, actual: wanted.count)
        }
        let assets = try await receipts.receipts(for: Set(wanted.map(\.checksum)), in: scope)
        let dictionaries = try wanted.map { field, checksum in
            guard let asset = assets[checksum] else { throw ServerError.assetBytesMissing(field: field) }
            return asset.dictionary
        }
        return Answer { writer in
            writer.key("assets")
            writer.array(dictionaries) { $0.asset($1) }
        }
    }

    private func scope(of request: OpenedRequest, _ body: JSONValue) async throws -> AssetScope {
        guard request.context.scope == .shared else { return try await scopes.scope(of: request, in: nil) }
        guard let target = body["targetZoneID"], !target.isNull else {
            return try await scopes.scope(of: request, in: body["zoneID"])
        }
        // Content is not copied from one user's database to another user's database without an upload.
        guard try AssetScopes.zone(body["zoneID"])?.ownerRecordName == AssetScopes.zone(target)?.ownerRecordName else {
            throw ServerError.wrongKind("targetZoneID", expected: "a zone of the same owner")
        }
        return try await scopes.scope(of: request, in: target)
    }

    private struct Entry {
        let recordName: String
        let fieldName: String
    }

    /// A single object is accepted in place of an array, as in other operations.
    private static func entries(in body: JSONValue) throws(ServerError) -> [Entry] {
        guard let value = body["assets"], !value.isNull else { throw .missingKey("assets") }
        guard let elements = value.members == nil ? value.array : [value] else {
            throw .wrongKind("assets", expected: "an array")
        }
        guard elements.count <= AssetLimits.maxReceipts else {
            throw .tooMany("assets", limit: AssetLimits.maxReceipts, actual: elements.count)
        }
        var entries: [Entry] = []
        for element in elements {
            guard let recordName = element["recordName"]?.string else { throw .missingKey("recordName") }
            guard let fieldName = element["fieldName"]?.string else { throw .missingKey("fieldName") }
            entries.append(Entry(recordName: recordName, fieldName: fieldName))
        }
        return entries
    }

    /// Returns the checksums of the assets in a field of `record`, an item from the answer to `records.lookup`.
    private static func checksums(of entry: Entry, in record: JSONValue) throws(ServerError) -> [AssetChecksum] {
        if let code = record["serverErrorCode"]?.string.flatMap(ServerErrorCode.init(rawValue:)) {
            throw ServerError(
                reported: code, ckErrorCode: record["ckErrorCode"]?.int.map(Int.init),
                reasonCode: record["reasonCode"]?.string ?? ReasonCode.recordNotFound.rawValue,
                reason: record["reason"]?.string ?? "Record not found", field: "recordName"
            ).about(recordName: RecordName(unchecked: entry.recordName))
        }
        let value = record["fields"]?[entry.fieldName]?["value"] ?? .null
        let checksums = (value.array ?? [value]).compactMap { asset in
            asset["fileChecksum"]?.string.flatMap { AssetChecksum($0) }
        }
        guard !checksums.isEmpty else {
            throw ServerError(
                .assetFieldEmpty, "The field '\(entry.fieldName)' of '\(entry.recordName)' contains no asset",
                field: entry.fieldName)
        }
        return checksums
    }
}

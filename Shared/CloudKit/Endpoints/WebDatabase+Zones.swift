internal import CloudKitModel
internal import CloudKitWire

extension WebDatabase {
    /// The largest number of zones in a request.
    static let maxZones = 200

    /// Lists all zones (`zones/list`).
    func zones() async throws(CKError) -> [JSONValue] { try await items("zones/list", [:], "zones") }

    /// Fetches zones (`zones/lookup`).
    ///
    /// - Returns: The items of the answer, in the order of the IDs.
    func zones(_ ids: [CKRecordZone.ID]) async throws(CKError) -> [JSONValue] {
        try await items("zones/lookup", ["zones": .array(ids.map(json))], "zones", count: ids.count)
    }

    /// Creates and deletes zones (`zones/modify`).
    ///
    /// - Returns: The items of the answer, first those of the zones to create.
    func modifyZones(
        creating created: [CKRecordZone.ID], deleting deleted: [CKRecordZone.ID]
    ) async throws(CKError) -> [JSONValue] {
        func operation(_ type: String, _ id: CKRecordZone.ID) -> JSONValue {
            ["operationType": .string(type), "zone": ["zoneID": json(of: id)]]
        }
        let operations = created.map { operation("create", $0) } + deleted.map { operation("delete", $0) }
        return try await items(
            "zones/modify", ["operations": .array(operations)], "zones", count: operations.count)
    }
}

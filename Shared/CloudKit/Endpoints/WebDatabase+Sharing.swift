internal import CloudKitModel
internal import CloudKitWire

extension WebDatabase {
    /// The largest number of links in a request.
    static let maxLinks = 100

    /// Reads what links lead to (`records/resolve`).
    ///
    /// - Parameter rootRecordKeys: The fields of the root records to fetch; `.none` to fetch no root records.
    /// - Returns: The items of the answer, in the order of the links.
    func resolve(_ shortGUIDs: [String], _ root: RootRecordKeys) async throws(CKError) -> [JSONValue] {
        let named = shortGUIDs.map { guid -> JSONValue in
            var members = [JSONValue.Member("value", .string(guid))]
            switch root {
            case .none: break
            case .all: members.append(JSONValue.Member("shouldFetchRootRecord", true))
            case .some(let keys):
                members.append(JSONValue.Member("shouldFetchRootRecord", true))
                members.append(JSONValue.Member("rootRecordDesiredKeys", .array(keys.map { .string($0) })))
            }
            return .object(members)
        }
        return try await publicDatabase.items(
            "records/resolve", ["shortGUIDs": .array(named)], "results", count: shortGUIDs.count)
    }

    /// The fields of a root record to fetch.
    enum RootRecordKeys: Sendable {
        case none
        case all
        case some([String])
    }

    /// Accepts the shares to which links lead (`records/accept`).
    ///
    /// - Returns: The items of the answer, in the order of the links.
    func accept(_ shortGUIDs: [String]) async throws(CKError) -> [JSONValue] {
        try await publicDatabase.items(
            "records/accept", ["shortGUIDs": .array(shortGUIDs.map { ["value": .string($0)] })], "results",
            count: shortGUIDs.count)
    }

    /// Requests access to the shares to which links lead (`shares/requestAccess`).
    ///
    /// - Returns: The items of the answer, in the order of the links.
    func requestAccess(_ shortGUIDs: [String]) async throws(CKError) -> [JSONValue] {
        try await publicDatabase.items(
            "shares/requestAccess", ["shortGUIDs": .array(shortGUIDs.map { ["value": .string($0)] })], "results",
            count: shortGUIDs.count)
    }

    /// Returns the database in which the user finds the zone of an item of `records/resolve` or `records/accept`: the
    /// private one if the user owns the share.
    func database(of item: JSONValue) -> WebDatabase { other(item["databaseScope"] == "PRIVATE" ? .private : .shared) }
}

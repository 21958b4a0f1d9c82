import CloudKitWire
import ServiceMessages

/// The requests of scenarios.
extension SharingScenario {
    /// The id of the stage's zone.
    static let zone: JSONValue = ["zoneName": "@zone", "ownerRecordName": "@owner"]

    private static func database(of who: SharingRole) -> String { who == .owner ? "private" : "shared" }

    /// A request of any kind.
    static func asks(
        _ who: SharingRole, _ operation: ServiceMessages.Operation, in database: String, _ body: JSONValue = [:],
        refused: [SharingRefusal?] = []
    ) -> SharingStep {
        SharingStep(who, operation, in: database, body, refused: refused)
    }

    /// The owner saves and deletes records of the zone, each operation on its own.
    static func owner(_ operations: JSONValue..., refused: [SharingRefusal?] = []) -> SharingStep {
        saves(.owner, operations, refused)
    }

    /// A participant saves and deletes records of the owner's zone.
    static func saves(
        _ who: SharingRole, _ operations: JSONValue..., refused: [SharingRefusal?] = []
    ) -> SharingStep {
        saves(who, operations, refused)
    }

    private static func saves(
        _ who: SharingRole, _ operations: [JSONValue], _ refused: [SharingRefusal?]
    ) -> SharingStep {
        asks(
            who, .recordsModify, in: database(of: who),
            ["zoneID": zone, "operations": .array(operations), "atomic": false], refused: refused)
    }

    /// A user looks up records of the owner's zone.
    static func reads(_ who: SharingRole, _ names: String..., refused: [SharingRefusal?] = []) -> SharingStep {
        let records = names.map { name -> JSONValue in ["recordName": .string(name)] }
        return asks(
            who, .recordsLookup, in: database(of: who), ["zoneID": zone, "records": .array(records)], refused: refused)
    }

    /// A user reads the feed of the owner's zone, by default from the beginning.
    static func walks(_ who: SharingRole, since token: JSONValue? = nil, refused: [SharingRefusal?] = []) -> SharingStep
    {
        var query: [JSONValue.Member] = [.init("zoneID", zone)]
        if let token { query.append(.init("syncToken", token)) }
        return asks(who, .changesZone, in: database(of: who), ["zones": [.object(query)]], refused: refused)
    }

    /// A user queries the notes of the owner's zone, sorted by `n`.
    static func queries(_ who: SharingRole, limit: Int64 = 100, refused: [SharingRefusal?] = []) -> SharingStep {
        let query: JSONValue = ["recordType": "Note", "sortBy": [["fieldName": "n", "ascending": true]]]
        return asks(
            who, .recordsQuery, in: database(of: who), ["zoneID": zone, "query": query, "resultsLimit": .int(limit)],
            refused: refused)
    }

    /// A user asks where links lead.
    static func resolves(_ who: SharingRole, _ links: JSONValue..., refused: [SharingRefusal?] = []) -> SharingStep {
        asks(who, .recordsResolve, in: "public", ["shortGUIDs": .array(links)], refused: refused)
    }

    /// A user accepts the shares to which links lead.
    static func accepts(_ who: SharingRole, _ links: JSONValue..., refused: [SharingRefusal?] = []) -> SharingStep {
        asks(who, .recordsAccept, in: "public", ["shortGUIDs": .array(links)], refused: refused)
    }

    /// A user deletes the owner's zone: the owner in the private database, and others in the shared one.
    static func deletesZone(_ who: SharingRole, refused: [SharingRefusal?] = []) -> SharingStep {
        asks(
            who, .zonesModify, in: database(of: who),
            ["operations": [["operationType": "delete", "zone": ["zoneID": zone]]]], refused: refused)
    }
}

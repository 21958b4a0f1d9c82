import CloudKitWire
import ServiceMessages

/// A request that contains names which might be hidden from the caller.
struct IsolationProbe: Sendable {
    /// What the caller may not see.
    enum Level: Sendable {
        /// The zone, and everything in it.
        case zone
        /// Records of a zone of which the caller sees other records.
        case record
    }

    let operation: ServiceMessages.Operation
    let levels: Set<Level>
    let body: @Sendable (IsolationNames) -> JSONValue

    private static func probe(
        _ operation: ServiceMessages.Operation, _ levels: Level...,
        body: @escaping @Sendable (IsolationNames) -> JSONValue
    ) -> IsolationProbe {
        IsolationProbe(operation: operation, levels: Set(levels.isEmpty ? [.zone, .record] : levels), body: body)
    }

    /// The operations of users whose requests contain no names of zones, records, shares or subscriptions.
    static let namingNothing: Set<ServiceMessages.Operation> = [
        .serviceCapabilities, .badgesSet, .tokensCreate, .tokensRegister, .tokensStatus, .zonesList, .zonesChanges,
        .changesDatabase, .subscriptionsList,
        // The body of `assets.put` is the file; the names are in headers. `IsolationTests` sends it separately.
        .assetsPut,
    ]

    /// The requests of every operation that names something.
    static let all: [IsolationProbe] = reads + writes

    @SharingBuilder<IsolationProbe> private static var reads: [IsolationProbe] {
        probe(.recordsLookup) { ["zoneID": $0.zoneID, "records": [["recordName": .string($0.record)]]] }
        probe(.recordsLookup) { ["zoneID": $0.zoneID, "records": [["recordName": .string($0.share)]]] }
        probe(.recordsLookup) {
            ["records": [["recordName": .string($0.record), "zoneID": $0.zoneID]], "desiredKeys": ["title"]]
        }
        probe(.recordsChanges, .zone) { ["zoneID": $0.zoneID] }
        probe(.recordsChanges, .zone) { ["zoneID": $0.zoneID, "syncToken": token($0)] }
        probe(.changesZone, .zone) { ["zones": [["zoneID": $0.zoneID]]] }
        probe(.changesZone, .zone) { ["zones": [["zoneID": $0.zoneID, "syncToken": token($0)]]] }
        probe(.recordsQuery) { ["zoneID": $0.zoneID, "query": query($0)] }
        probe(.recordsQuery, .zone) { ["zoneID": $0.zoneID, "query": ["recordType": "Never"]] }
        probe(.recordsQuery, .zone) {
            ["zoneID": $0.zoneID, "query": sortedQuery, "continuationMarker": .string($0.old?.marker ?? "AAAA")]
        }
        probe(.recordsAggregate) {
            ["zoneID": $0.zoneID, "query": query($0), "aggregates": [["function": "COUNT"]]]
        }
        probe(.recordsExplain) { ["zoneID": $0.zoneID, "query": query($0)] }
        probe(.recordsResolve) { ["shortGUIDs": [["value": .string($0.link), "shouldFetchRootRecord": true]]] }
        probe(.zonesLookup, .zone) { ["zones": [$0.zoneID]] }
        probe(.assetsUpload) {
            [
                "zoneID": $0.zoneID,
                "tokens": [["recordType": "Note", "recordName": .string($0.record), "fieldName": "file"]],
            ]
        }
        probe(.assetsRereference) {
            ["zoneID": $0.zoneID, "assets": [["recordName": .string($0.record), "fieldName": "file"]]]
        }
        probe(.subscriptionsLookup) { ["subscriptions": [["subscriptionID": .string($0.subscription)]]] }
    }

    @SharingBuilder<IsolationProbe> private static var writes: [IsolationProbe] {
        for kind in ["create", "update", "replace", "delete", "forceUpdate", "forceReplace", "forceDelete"] {
            probe(.recordsModify) { modify($0, .note(kind, $0.record)) }
        }
        probe(.recordsModify) { modify($0, .note("update", $0.record, fields: ["file": ["value": receipt($0)]])) }
        probe(.recordsModify) { modify($0, .note("update", "item", fields: .reference($0.record, "VALIDATE"))) }
        probe(.recordsModify) { modify($0, .note("update", "item", below: .string($0.record))) }
        probe(.recordsModify) { modify($0, .note("create", "new", below: .string($0.record))) }
        probe(.recordsModify) { modify($0, .share("create", "T", of: $0.record)) }
        probe(.recordsModify) { modify($0, .share("update", $0.share, permission: "READ_WRITE")) }
        probe(.recordsModify) { modify($0, .deletion($0.share)) }
        probe(.recordsModify) {
            modify($0, .share("update", $0.share, participants: [["participantId": .string($0.participant)]]))
        }
        probe(.recordsAccept) { ["shortGUIDs": [["value": .string($0.link)]]] }
        probe(.sharesRequestAccess) { ["shortGUIDs": [["value": .string($0.link)]]] }
        probe(.zonesModify, .zone) {
            ["operations": [["operationType": "delete", "zone": ["zoneID": $0.zoneID]]]]
        }
        probe(.zonesModify) {
            ["operations": [["operationType": "create", "zone": ["zoneID": $0.zoneID]]]]
        }
        probe(.subscriptionsModify) { subscribe("zone", [.init("zoneID", $0.zoneID)]) }
        probe(.subscriptionsModify) {
            subscribe("query", [.init("zoneID", $0.zoneID), .init("query", ["recordType": "Note"])])
        }
        probe(.subscriptionsModify) {
            [
                "operations": [
                    [
                        "operationType": "delete",
                        "subscription": ["subscriptionID": .string($0.subscription)],
                    ]
                ]
            ]
        }
    }

    private static let sortedQuery: JSONValue = [
        "recordType": "Note", "sortBy": [["fieldName": "title", "ascending": true]],
    ]

    private static func query(_ names: IsolationNames) -> JSONValue {
        let name: JSONValue = ["recordName": .string(names.record)]
        return [
            "recordType": "Note",
            "filterBy": [
                [
                    "systemFieldName": "recordName", "comparator": "EQUALS",
                    "fieldValue": ["value": name, "type": "REFERENCE"],
                ]
            ],
        ]
    }

    private static func token(_ names: IsolationNames) -> JSONValue { .string(names.old?.zoneToken ?? "AAAA") }

    private static func receipt(_ names: IsolationNames) -> JSONValue {
        names.old?.receipt ?? ["fileChecksum": "AAAA", "size": 1, "receipt": "AAAA"]
    }

    private static func modify(_ names: IsolationNames, _ operation: JSONValue) -> JSONValue {
        ["zoneID": names.zoneID, "operations": [operation], "atomic": false]
    }

    private static func subscribe(_ kind: String, _ more: [JSONValue.Member]) -> JSONValue {
        let subscription: [JSONValue.Member] = [
            .init("subscriptionID", "spy"), .init("subscriptionType", .string(kind)), .init("firesOn", ["create"]),
        ]
        return ["operations": [["operationType": "create", "subscription": .object(subscription + more)]]]
    }
}

import CloudKitWire
import ServiceMessages

/// What users see in the shared database (semantics 1.3 and 11.4).
extension SharingScenario {
    private static let everything = ["list", "item", "S"] as JSONValue

    /// Returns the scenario, followed by requests of a user for whom the zone does not exist.
    private func hiding(from who: SharingRole) -> SharingScenario {
        SharingScenario(rule, steps + Self.requests(of: who))
    }

    @SharingBuilder<SharingStep> private static func requests(of who: SharingRole) -> [SharingStep] {
        reads(who, "list", refused: [.zoneUnknown])
        walks(who, refused: [.zoneUnknown])
        queries(who, refused: [.zoneUnknown])
        saves(who, .note("create", "x", below: "list"), refused: [.zoneUnknown])
        saves(who, .deletion("S"), refused: [.zoneUnknown])
        deletesZone(who, refused: [.zoneUnknown])
        asks(who, .zonesLookup, in: "shared", ["zones": [zone]], refused: [.zoneUnknown])
        asks(who, .zonesList, in: "shared").showing("zones", [])
        asks(
            who, .assetsUpload, in: "shared",
            ["zoneID": zone, "tokens": [["recordType": "Note", "fieldName": "file"]]], refused: [.zoneUnknown])
    }

    @SharingBuilder<SharingScenario> static var reading: [SharingScenario] {
        ruleOfShared("Participants see the shared records, in look-ups, feeds and queries") {
            reads(.reader, "list", "item", "S", "diary", refused: [nil, nil, nil, .recordUnknown])
            walks(.reader).showing("zones/0/records/*/recordName", everything)
            queries(.reader).showing("records/*/recordName", ["list", "item"])
            asks(.reader, .zonesList, in: "shared").showing("zones/*/zoneID/ownerRecordName", ["@owner"])
            asks(.reader, .zonesLookup, in: "shared", ["zones": [zone]])
        }
        ruleOfShared("Queries leave out hidden records before they sort, limit and count") {
            queries(.guest, limit: 1).showing("records/*/recordName", ["list"])
            asks(
                .guest, .recordsAggregate, in: "shared",
                [
                    "zoneID": zone, "query": ["recordType": "Note"],
                    "aggregates": [["function": "COUNT"]],
                ]
            ).showing("results/0/aggregates/0/value/value", 2)
            asks(
                .guest, .recordsExplain, in: "shared", ["zoneID": zone, "query": ["recordType": "Note"]]
            ).showing("rowsReturned", 2)
        }
        ruleOfShared("A request in the shared database names the owner of the zone: 12") {
            asks(
                .guest, .recordsLookup, in: "shared",
                ["zoneID": ["zoneName": "@zone"], "records": [["recordName": "list"]]], refused: [.keyMissing])
            asks(.guest, .recordsQuery, in: "shared", ["query": ["recordType": "Note"]], refused: [.keyMissing])
            asks(
                .guest, .changesZone, in: "shared", ["zones": [["zoneID": ["zoneName": "@zone"]]]],
                refused: [.keyMissing])
            asks(
                .guest, .recordsModify, in: "shared",
                ["zoneID": ["zoneName": "@zone"], "operations": [.note("update", "item")]], refused: [.keyMissing])
        }
        ruleOfShared("Own zones are not in the shared database: 26") {
            asks(
                .owner, .recordsLookup, in: "shared", ["zoneID": zone, "records": [["recordName": "list"]]],
                refused: [.zoneUnknown])
        }
        ruleOfShared("No zones are created in the shared database: 24") {
            asks(
                .guest, .zonesModify, in: "shared",
                ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "New"]]]]],
                refused: [.zonesNotInDatabase])
        }
        rule("For an invited user who has not accepted, the zone does not exist: 26") {
            owner(.note("create", "list"), .share("create", "S", of: "list", participants: [.user(.guest)]))
        }.hiding(from: .guest)
        rule("For a stranger, the zone does not exist: 26") {
            owner(.note("create", "list"), .share("create", "S", of: "list"))
        }.hiding(from: .stranger)
        ruleOfShared("For a removed user, the zone does not exist: 26") {
            owner(.share("update", "S", tagged: true, participants: [.user(.reader)]))
        }.hiding(from: .guest)
        ruleOfShared("For a user who has left, the zone does not exist: 26") {
            saves(.guest, .deletion("S"))
        }.hiding(from: .guest)
        ruleOfShared("For a user with the permission NONE, the zone does not exist: 26") {
            owner(.share("update", "S", tagged: true, participants: [.user(.guest, "NONE"), .user(.reader)]))
        }.hiding(from: .guest)
    }
}

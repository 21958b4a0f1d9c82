import CloudKitWire
import PostgresClient
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// `zones.purge`, and the answers to requests on purged zones (semantics 6, 8.4; appendix A 8).
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct ZonesPurgeTests {
    /// Returns the errors of every kind of request on a zone that does not exist.
    private static func errors(_ database: RecordDatabase) async throws -> [JSONValue] {
        let zone: JSONValue = ["zoneName": "Z"]
        let modify = try await database.ask(
            .recordsModify, ["zoneID": zone, "operations": [database.operation("create", "a")]])
        let lookup = try await database.ask(.recordsLookup, ["zoneID": zone, "records": [["recordName": "a"]]])
        let zones = try await database.ask(.zonesLookup, ["zones": [zone]])
        let older = try await database.ask(.recordsChanges, ["zoneID": zone])
        return [modify, lookup, try #require(zones["zones"]?[0]), try await database.changes(), older]
    }

    private static func recreate(_ database: RecordDatabase) async throws {
        let answer = try await database.ask(
            .zonesModify,
            ["operations": [["operationType": "create", "zone": ["zoneID": ["zoneName": "Z"]]]]])
        #expect(answer["zones"]?[0]?["serverErrorCode"] == nil)
    }

    @Test(arguments: [
        ("purged", 28, "zone_purged", "Zone was purged by user", nil as JSONValue?),
        (
            "encryptedDataReset", 26, "zone_encrypted_data_reset", "The encrypted data of zone 'Z' was reset",
            true as JSONValue?
        ),
    ])
    func everyRequestOnAPurgedZoneIsRefusedUntilItIsMadeAgain(
        reason: String, ckErrorCode: Int64, reasonCode: String, text: String, isReset: JSONValue?
    ) async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.write(database.request(zone, database.operation("create", "a")))
            let (old, before) = (try await database.changes().syncToken, try await database.databaseChanges().syncToken)

            let answer = try await database.purge(.init("zones", ["Z"]), .init("reason", .string(reason)))
            #expect(answer.zoneChanges == ["-Z"])
            #expect(answer["moreComing"] == false)
            for error in try await Self.errors(database) {
                #expect(error["serverErrorCode"] == "ZONE_NOT_FOUND")
                #expect(error["ckErrorCode"] == .int(ckErrorCode))
                #expect(error["reasonCode"] == .string(reasonCode))
                #expect(error["reason"] == .string(text))
                #expect(error["encryptedDataReset"] == isReset)
            }
            let deleted = try await database.databaseChanges(since: before)
            #expect(deleted.zoneChanges == ["-Z"])
            #expect(deleted["zones"]?[0]?["deletionReason"] == .string(reason))

            // The answer is the same after the retention.
            try await database.reclaim()
            #expect(try await database.changes()["ckErrorCode"] == .int(ckErrorCode))

            try await Self.recreate(database)
            let again = try await database.databaseChanges(since: deleted.syncToken)
            #expect(again.zoneChanges == ["Z"])
            let expired = try await database.changes(since: old)
            #expect(expired["ckErrorCode"] == 21)
            #expect(expired["reason"]?.string?.contains("recreated") == true)
            try await database.deleteZone()
            #expect(try await database.changes()["ckErrorCode"] == 26, "the last deletion counts")
            #expect(try await database.changes()["encryptedDataReset"] == nil)
        }
    }

    @Test func allZonesGoButTheDefaultOneAndThoseOfOthers() async throws {
        try await RecordDatabase.with { database in
            for name in ["A", "B"] { _ = try await database.zone(name) }
            let stranger = "_" + String(repeating: "b", count: 32)
            let nobody = try await database.ask(
                .zonesPurge,
                [
                    "container": .string(RecordDatabase.container), "environment": "development",
                    "database": "private", "owner": .string(stranger), "all": true, "reason": "purged",
                ])
            #expect(nobody.zoneChanges == [])
            let answer = try await database.purge(.init("all", true), .init("reason", "purged"))
            #expect(answer.zoneChanges == ["-A", "-B"])
            let left = try await database.ask(.zonesList, [:])
            #expect(left.zoneChanges == ["_defaultZone"])
        }
    }

    @Test func zonesThatAreNotThereAreErrorsOfTheirOwn() async throws {
        try await RecordDatabase.with { database in
            for name in ["A", "Z"] { _ = try await database.zone(name) }
            _ = try await database.purge(.init("zones", ["Z"]), .init("reason", "purged"))
            let answer = try await database.purge(
                .init("zones", ["Never", "A", "Z", "_defaultZone"]), .init("reason", "purged"))
            let codes = (answer["zones"]?.array ?? []).map { $0["reasonCode"]?.string }
            #expect(codes == ["zone_not_found", nil, "zone_purged", "zone_not_modifiable"])
        }
    }

    @Test func deletionByItsApplicationEndsAReset() async throws {
        try await RecordDatabase.with { database in
            _ = try await database.zone()
            _ = try await database.purge(.init("zones", ["Z"]), .init("reason", "encryptedDataReset"))
            try await database.deleteZone()
            #expect(try await database.changes()["reasonCode"] == "zone_not_found")
        }
    }

    @Test func bodyAtFaultIsRefusedByItsKey() async throws {
        let faults: [([JSONValue.Member], String)] = [
            ([.init("zones", ["Z"])], "reason"), ([.init("zones", ["Z"]), .init("reason", "deleted")], "reason"),
            ([.init("reason", "purged")], "zones"), ([.init("zones", [1]), .init("reason", "purged")], "zones"),
            ([.init("all", true), .init("reason", "purged"), .init("owner", "me")], "owner"),
            ([.init("all", true), .init("reason", "purged"), .init("database", "public")], "database"),
            ([.init("all", true), .init("reason", "purged"), .init("environment", "staging")], "environment"),
        ]
        try await RecordDatabase.with { database in
            for (members, field) in faults {
                let sound: [JSONValue.Member] = [
                    .init("container", .string(RecordDatabase.container)), .init("environment", "development"),
                    .init("database", "private"), .init("owner", .string(RecordDatabase.user)),
                ]
                let body = sound.filter { member in !members.contains { $0.key == member.key } } + members
                let answer = try await database.ask(.zonesPurge, .object(body))
                #expect(answer["serverErrorCode"] == "BAD_REQUEST")
                #expect(answer["field"] == .string(field), "\(members)")
            }
        }
    }
}

import CloudKitWire
import RequestServing
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Two instances with one database. Each has its own cache.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct TwoInstancesTests {
    @Test func tokenOfAZoneMadeAgainAtOneInstanceIsGoodAtTheOther() async throws {
        try await RecordDatabase.with { one in
            var store = one.store
            store.directory = ZoneDirectory(pool: store.pool, createsContainers: false)
            let other = RecordDatabase(pool: one.pool, superuser: one.superuser, store: store)
            let zone: JSONValue = ["zoneID": ["zoneName": "Z"]]
            _ = try await one.zone()
            // Now the other instance has cached the zone's first row.
            _ = try await other.ask(.changesZone, ["zones": [zone]])
            _ = try await one.ask(.zonesModify, ["operations": [["operationType": "delete", "zone": zone]]])
            _ = try await one.zone()
            let first = try await one.ask(.changesZone, ["zones": [zone]])
            let token = try #require(first["zones"]?[0]?["syncToken"])
            let next = try await other.ask(
                .changesZone, ["zones": [["zoneID": ["zoneName": "Z"], "syncToken": token]]])
            #expect(next["zones"]?[0]?["syncToken"] == token, "\(next)")
        }
    }
}

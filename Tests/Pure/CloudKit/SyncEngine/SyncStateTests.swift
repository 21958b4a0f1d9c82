import Foundation
import Testing

@testable import CloudKit

@Suite struct SyncStateTests {
    private static func id(_ name: String) -> CKRecord.ID {
        CKRecord.ID(recordName: name, zoneID: CKRecordZone.ID(zoneName: "Notes"))
    }

    @Test("Of several changes of one record, the last counts; an equal one keeps its place")
    func duplicates() {
        let state = CKSyncEngine.State(nil)
        let (a, b) = (Self.id("a"), Self.id("b"))
        state.add(pendingRecordZoneChanges: [.saveRecord(a), .saveRecord(b), .saveRecord(a)])
        #expect(state.pendingRecordZoneChanges == [.saveRecord(a), .saveRecord(b)])
        state.add(pendingRecordZoneChanges: [.deleteRecord(a)])
        #expect(state.pendingRecordZoneChanges == [.saveRecord(b), .deleteRecord(a)])
        state.remove(pendingRecordZoneChanges: [.saveRecord(a), .saveRecord(b)])
        #expect(state.pendingRecordZoneChanges == [.deleteRecord(a)])
        let zone = CKRecordZone(zoneName: "Notes")
        state.add(pendingDatabaseChanges: [.saveZone(zone), .deleteZone(zone.zoneID)])
        #expect(state.pendingDatabaseChanges == [.deleteZone(zone.zoneID)])
        state.remove(pendingDatabaseChanges: [.deleteZone(zone.zoneID)])
        #expect(state.pendingDatabaseChanges.isEmpty)
    }

    @Test("Ten thousand changes are added and removed in order")
    func many() {
        let state = CKSyncEngine.State(nil)
        let changes = (0..<10_000).map { CKSyncEngine.PendingRecordZoneChange.saveRecord(Self.id("\($0)")) }
        state.add(pendingRecordZoneChanges: changes)
        state.remove(pendingRecordZoneChanges: Array(changes[..<9_000]))
        #expect(state.pendingRecordZoneChanges == Array(changes[9_000...]))
        state.add(pendingRecordZoneChanges: [changes[0]])
        #expect(state.pendingRecordZoneChanges.last == changes[0])
    }

    @Test("A change that is added again while it is sent stays pending")
    func changedMeanwhile() {
        var state = SyncState()
        state.add([.saveRecord(Self.id("a")), .saveRecord(Self.id("b"))])
        let moment = state.moment
        state.add([.saveRecord(Self.id("a"))])
        state.apply(.settledRecords([.saveRecord(Self.id("a")), .saveRecord(Self.id("b"))], moment))
        #expect(state.recordChanges.changes == [.saveRecord(Self.id("a"))])
    }

    @Test("A serialization contains everything, in JSON and in property lists")
    func serialization() throws {
        var state = SyncState()
        let zones = ["a", "b"].map { CKRecordZone.ID(zoneName: $0, ownerName: "_owner") }
        let scoped = CKRecordZone(zoneID: zones[0])
        scoped.encryptionScope = .perZone
        state.user = "_u"
        state.databaseToken = "d"
        state.zoneTokens = [zones[0]: "z", .default: "y"]
        state.unfetchedZones = [zones[1], zones[0]]
        state.unlistedZones = [zones[0]]
        state.setUntrackedChanges(true)
        state.add([.saveZone(scoped), .deleteZone(zones[1])])
        state.add([.saveRecord(Self.id("a")), .saveRecord(Self.id("b")), .deleteRecord(Self.id("c"))])
        let written = CKSyncEngine.State.Serialization(state)
        let decoded = [
            try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: JSONEncoder().encode(written)),
            try PropertyListDecoder().decode(
                CKSyncEngine.State.Serialization.self, from: PropertyListEncoder().encode(written)),
        ]
        for read in decoded.map(\.contents) {
            #expect(read.user == "_u" && read.databaseToken == "d" && read.hasUntrackedChanges)
            #expect(read.zoneTokens == state.zoneTokens)
            #expect(read.unfetchedZones == state.unfetchedZones && read.unlistedZones == state.unlistedZones)
            #expect(read.databaseChanges.changes == state.databaseChanges.changes)
            #expect(read.recordChanges.changes == state.recordChanges.changes)
            guard case .saveZone(let zone)? = read.databaseChanges.changes.first else {
                Issue.record("the save of the zone is missing")
                continue
            }
            #expect(zone.encryptionScope == .perZone)
        }
    }

    @Test(
        "A serialization of a newer version, or of something else, is refused",
        arguments: [
            #"{"version": 2, "zones": [], "unfetchedZones": [], "zoneChanges": [], "recordChanges": []}"#, "{}",
        ])
    func foreign(_ json: String) {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CKSyncEngine.State.Serialization.self, from: Data(json.utf8))
        }
    }

    @Test("When another user signs in, nothing of the former one is left")
    func accounts() {
        var state = SyncState()
        state.add([.saveRecord(Self.id("a"))])
        state.apply(.changedAccount("_a"))
        #expect(state.recordChanges.count == 1, "what was added before the first sign-in belongs to this user")
        state.zoneTokens = [.default: "t"]
        state.apply(.changedAccount("_b"))
        #expect(state.user == "_b" && state.recordChanges.isEmpty && state.zoneTokens.isEmpty)
    }
}

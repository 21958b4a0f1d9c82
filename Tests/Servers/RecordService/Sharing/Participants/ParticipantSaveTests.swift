import CloudKitModel
import CloudKitWire
import RequestServing
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// What participants may save in the shared database (semantics 11.3).
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct ParticipantSaveTests {
    @Test func aParticipantChangesAndCreatesWhatIsShared() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, reader) = (scene.database, scene.zone, scene.writer)
            let answer = try await reader.modify(
                zone, database.operation("update", "a", ["n": 7], parent: "list"),
                database.operation("create", "new", ["n": 1], parent: "a"),
                database.operation("create", "newer", parent: "new"), database.operation("delete", "a.1"))
            let records = try #require(answer["records"]?.array)
            #expect(records.allSatisfy { $0["serverErrorCode"] == nil }, "\(answer)")
            #expect(records[1]["zoneID"]?["ownerRecordName"]?.string == RecordDatabase.user)
            #expect(records[1]["created"]?["userRecordName"]?.string == reader.user)
            #expect(records[0]["created"]?["userRecordName"]?.string == RecordDatabase.user)
            #expect(records[0]["modified"]?["userRecordName"]?.string == reader.user)
            // The owner finds everything in the own zone, and the share contains it.
            #expect(try await database.record("newer", in: zone)["recordName"] == "newer")
            #expect(try await database.members(of: zone)["S"] == ["S", "list", "a", "new", "newer"])
        }
    }

    @Test func aNewRecordNeedsAParentInTheShare() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, reader) = (scene.database, scene.zone, scene.writer)
            for kind in ["create", "forceUpdate", "forceReplace"] {
                #expect(try await reader.codes(zone, database.operation(kind, "x")) == [10])
                // A hidden parent does not exist, and one that the participant may only read permits nothing.
                #expect(try await reader.codes(zone, database.operation(kind, "x", parent: "shelf")) == [31])
                #expect(try await reader.codes(zone, database.operation(kind, "x", parent: "nowhere")) == [31])
                #expect(try await reader.codes(zone, database.operation(kind, "x", parent: "album")) == [10])
            }
            let share = database.share("create", "T", of: "a")
            #expect(try await reader.codes(zone, share) == [10])
            let users: JSONValue = [
                "operationType": "create",
                "record": [
                    "recordName": .string(reader.user), "recordType": "Users", "fields": [:],
                    "parent": ["recordName": "list"],
                ],
            ]
            #expect(try await reader.codes(zone, users) == [10])
            #expect(try await database.codes(zone, users) == [10])
        }
    }

    @Test func whatAParticipantMayOnlyReadStaysAsItIs() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, reader) = (scene.database, scene.zone, scene.reader)
            let before = try await database.record("a", in: zone)
            for kind in ["create", "update", "replace", "delete", "forceUpdate", "forceReplace", "forceDelete"] {
                let answer = try await reader.modify(zone, database.operation(kind, "a", ["n": 3], parent: "list"))
                #expect(answer["records"]?[0]?["ckErrorCode"] == 10, "\(kind)")
                #expect(answer["records"]?[0]?["serverRecord"] == nil)
            }
            #expect(try await reader.codes(zone, database.operation("create", "x", parent: "a")) == [10])
            #expect(try await database.record("a", in: zone) == before)
        }
    }

    @Test func aRecordStaysInItsShare() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, reader) = (scene.database, scene.zone, scene.writer)
            let cleared: JSONValue = ["recordName": "a", "recordType": "Photo", "parent": nil]
            #expect(try await reader.codes(zone, ["operationType": "update", "record": cleared]) == [10])
            #expect(try await reader.codes(zone, database.operation("forceReplace", "a")) == [10])
            #expect(try await reader.codes(zone, database.operation("update", "a", parent: "shelf")) == [31])
            // Another share of the zone that the participant may write.
            #expect(try await reader.codes(zone, database.operation("update", "a", parent: "box")) == [10])
            #expect(try await reader.codes(zone, database.operation("update", "a.1", parent: "list")) == [nil])
            #expect(try await database.members(of: zone)["S"] == ["S", "list", "a", "a.1"])
        }
    }

    @Test func theRootAndTheShareAreTheOwners() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, reader) = (scene.database, scene.zone, scene.writer)
            for kind in ["delete", "forceDelete"] {
                #expect(try await reader.codes(zone, database.operation(kind, "list")) == [10])
            }
            let tag = try await database.tag("S", in: zone)
            let participants = [RecordDatabase.participant(RecordDatabase.user("d"))]
            for kind in ["update", "forceUpdate", "forceReplace"] {
                let save = database.share(kind, "S", of: nil, tag: tag, participants: participants)
                #expect(try await reader.codes(zone, save) == [10])
                let opened = database.share(kind, "S", of: nil, tag: tag, permission: "READ_WRITE")
                #expect(try await reader.codes(zone, opened) == [10])
            }
            var shared: [JSONValue.Member] = [.init("recordName", "a"), .init("recordType", "Photo")]
            shared.append(.init("createShortGUID", true))
            #expect(
                try await reader.codes(zone, ["operationType": "update", "record": .object(shared)]) == [10])
            // The root can be changed, and keeps the parent that the participant cannot see.
            #expect(try await reader.codes(zone, database.operation("forceReplace", "list", ["n": 4])) == [nil])
            #expect(try await database.record("list", in: zone)["parent"]?["recordName"] == "shelf")
            #expect(try await reader.codes(zone, database.operation("update", "list", parent: "a")) == [10])
            // By a reference of the root, the deletion of another record would delete the root.
            let owned: JSONValue = ["recordName": "a.1", "action": "DELETE_SELF"]
            #expect(try await reader.codes(zone, database.operation("update", "list", ["r": owned])) == [10])
            #expect(try await database.tag("S", in: zone) == tag)
        }
    }

    @Test func aReferenceNeedsAVisibleTarget() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, zone, reader) = (scene.database, scene.zone, scene.writer)
            for action in ["DELETE_SELF", "VALIDATE"] {
                func save(_ target: String) async throws -> JSONValue {
                    let reference: JSONValue = ["recordName": .string(target), "action": .string(action)]
                    return try await reader.modify(zone, database.operation("update", "a", ["r": reference]))
                }
                let (hidden, madeUp) = (try await save("b"), try await save("q"))
                #expect(hidden["records"]?[0]?["ckErrorCode"] == 31)
                #expect(SharedReader.text(hidden, without: "b") == SharedReader.text(madeUp, without: "q"))
                #expect(try await save("S")["records"]?[0]?["ckErrorCode"] == 12)
                #expect(try await save("a.1")["records"]?[0]?["ckErrorCode"] == nil)
            }
            // What the owner referred to stays.
            let reference: JSONValue = ["recordName": "b", "action": "VALIDATE"]
            try await database.save(zone, database.operation("update", "a", ["r": reference]))
            #expect(
                try await reader.codes(zone, database.operation("update", "a", ["n": 1, "r": reference])) == [nil])
        }
    }
}
